import VitrineConcurrency

/// A value that tells a decoder or a transform that the image is no longer needed.
///
/// Slow work calls `check()` between rows, scans or passes:
///
/// ```swift
/// for row in 0..<height {
///   try cancellation.check()
///   decode(row)
/// }
/// ```
public struct DecodeCancellation: Sendable {
  private let isRequested: @Sendable () -> Bool

  /// Creates a cancellation that calls `isRequested` for each check. The closure is called often, on the thread of the
  /// decoder, and must not take a lock that a caller of the decoder holds.
  public init(_ isRequested: @escaping @Sendable () -> Bool) { self.isRequested = isRequested }

  /// A cancellation that is never requested, to call a decoder directly.
  public static let never = DecodeCancellation { false }

  /// A Boolean value that indicates whether decoding should stop.
  public var isCancelled: Bool { isRequested() }

  /// Throws `.cancelled` if decoding should stop.
  public func check() throws(ImageError) { if isCancelled { throw .cancelled } }
}

extension CancellationFlag {
  /// A cancellation that is requested by setting the flag.
  var cancellation: DecodeCancellation { DecodeCancellation { self.isCancelled } }
}
