/// The statuses and content types of responses that are accepted, checked before the body is read (AFNetworking's
/// response serializer, SDWebImage's `acceptableStatusCodes` and `acceptableContentTypes`).
///
/// ```swift
/// configuration.responses.acceptance.contentTypes = ["image/jpeg", "image/webp"]
/// ```
///
/// The image format is detected from the bytes in any case. Files and data URLs are not checked.
public struct ResponseAcceptance: Hashable, Codable, Sendable {
  /// The accepted statuses; 200 to 299 by default. Other statuses fail with `.status`.
  public var statuses: [ClosedRange<Int>]
  /// The accepted media types, in lower case and without parameters; `image/*` accepts all image types. Nil, the
  /// default, accepts all types. Other types fail with `.contentType`, as does a response with a body and without a
  /// type.
  public var contentTypes: Set<String>?

  /// Creates rules; by default, all types with a 2xx status are accepted.
  public init(statuses: [ClosedRange<Int>] = [200...299], contentTypes: Set<String>? = nil) {
    self.statuses = statuses
    self.contentTypes = contentTypes
  }

  /// Returns the error for a response with this head; nil if the response is accepted. A response without a body needs
  /// no type.
  package func refusal(of response: TransportResponse) -> ImageError? {
    guard let status = response.status else { return nil }
    guard statuses.contains(where: { $0.contains(status) }) else { return .status(status) }
    guard let contentTypes else { return nil }
    guard let field = response.headers["Content-Type"] else {
      let isEmpty = response.expectedLength.map { $0 == 0 } ?? [204, 205].contains(status)
      return isEmpty ? nil : .contentType("")
    }
    let type = field.split { ";, \t".contains($0) }.first?.lowercased() ?? ""
    let kind = type.prefix { $0 != "/" } + "/*"
    return contentTypes.contains(type) || contentTypes.contains(String(kind)) ? nil : .contentType(type)
  }
}
