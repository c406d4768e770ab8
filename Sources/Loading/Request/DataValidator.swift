/// A check of the bytes of a request that is not decoded (`ImageRequest.decodes`).
///
/// ```swift
/// request.decodes = false
/// request.validator = DataValidator("playlist") { bytes in _ = try Playlist(bytes) }
/// ```
///
/// Bytes that fail the check are treated like a damaged image: they are not stored on disk, and a stored response that
/// may be shown in their place is delivered as stale. Otherwise the load fails with `.invalidData`.
public struct DataValidator: Sendable {
  /// The name of the check. Requests whose validators have the same identifier share one check.
  public let identifier: String
  private let validate: @Sendable ([UInt8]) throws -> Void

  /// Creates a check.
  ///
  /// - Parameters:
  ///   - identifier: The name of the check.
  ///   - validate: Throws an error that describes what is wrong with the bytes. Called on a thread of the downloader.
  public init(_ identifier: String, validate: @escaping @Sendable ([UInt8]) throws -> Void) {
    self.identifier = identifier
    self.validate = validate
  }

  func check(_ bytes: [UInt8]) throws(ImageError) {
    do {
      try validate(bytes)
    } catch {
      throw .invalidData("\(error)")
    }
  }
}

extension DataValidator: Hashable {
  /// True if the identifiers are equal.
  public static func == (a: DataValidator, b: DataValidator) -> Bool { a.identifier == b.identifier }
  /// Hashes the identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}
