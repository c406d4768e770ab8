/// A part of a multipart response.
struct MultipartPart: Hashable, Sendable {
  /// The headers; empty for a part without headers.
  var headers: HTTPHeaders
  /// The body, which is not empty.
  var body: [UInt8]
}
