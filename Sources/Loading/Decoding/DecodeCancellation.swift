import Synchronization

/// Tells a decoder that its image is not needed any more.
///
/// A decoder that takes long asks between rows, scans or passes, and throws `.cancelled` once it is told:
///
/// ```swift
/// for row in 0..<height {
///   try cancellation.check()
///   decode(row)
/// }
/// ```
public struct DecodeCancellation: Sendable {
  private let isRequested: @Sendable () -> Bool

  /// A cancellation that `isRequested` answers for. It may be asked often, on the decoder's thread, and takes no lock that
  /// a caller of the decoder holds.
  public init(_ isRequested: @escaping @Sendable () -> Bool) { self.isRequested = isRequested }

  /// A cancellation that is never requested.
  public static let never = DecodeCancellation { false }

  /// A Boolean value that indicates whether decoding should stop.
  public var isCancelled: Bool { isRequested() }

  /// Throws `.cancelled` if decoding should stop.
  public func check() throws(ImageError) {
    if isCancelled { throw .cancelled }
  }
}

/// A request to stop, made on one thread and noticed on another.
package final class CancellationFlag: Sendable {
  private let isSet = Atomic(false)

  package init() {}

  /// True from the call of `set()` on.
  package var isCancelled: Bool { isSet.load(ordering: .relaxed) }

  package func set() { isSet.store(true, ordering: .relaxed) }

  var cancellation: DecodeCancellation { DecodeCancellation { self.isCancelled } }
}
