/// The reason why a multipart response cannot be parsed further.
enum MultipartError: Error, Hashable, Sendable {
  /// There is no boundary within `limit` bytes of the beginning or after a closing boundary.
  case noBoundary(limit: Int)
  /// The headers of a part have more than `limit` bytes.
  case headersTooLarge(limit: Int)
  /// The body of a part has more than `limit` bytes, or the boundary that ends the body is missing.
  case partTooLarge(limit: Int)
  /// More than `limit` parts without a body have arrived one after another.
  case emptyParts(limit: Int)

  /// The error that a live stream reports.
  var imageError: ImageError {
    switch self {
    case .noBoundary(let limit):
      .transport(.malformedResponse, message: "a multipart response without a boundary in \(limit) bytes")
    case .headersTooLarge(let limit):
      .transport(.malformedResponse, message: "a part with more than \(limit) bytes of headers")
    case .partTooLarge(let limit): .tooLarge(.body(bytes: limit))
    case .emptyParts(let limit):
      .transport(.malformedResponse, message: "a multipart response with more than \(limit) empty parts")
    }
  }
}
