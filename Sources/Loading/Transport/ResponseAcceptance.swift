/// Which answers of a server count as pictures, before a byte of them is looked at (AFNetworking's response
/// serializer, SDWebImage's acceptableStatusCodes and acceptableContentTypes).
///
/// ```swift
/// configuration.acceptance.contentTypes = ["image/jpeg", "image/webp"]
/// ```
///
/// What the bytes are is found out from the bytes in any case. Files and data URLs are not asked.
public struct ResponseAcceptance: Hashable, Codable, Sendable {
  /// Other statuses fail with `.status`; 200 to 299 by default.
  public var statuses: [ClosedRange<Int>]
  /// Other media types fail with `.contentType`, as does an answer with a body and without a type; nil, the default,
  /// accepts all. In lower case, without parameters; `image/*` stands for all of a kind.
  public var contentTypes: Set<String>?

  /// Every 2xx of any type, unless said otherwise.
  public init(statuses: [ClosedRange<Int>] = [200...299], contentTypes: Set<String>? = nil) {
    self.statuses = statuses
    self.contentTypes = contentTypes
  }

  /// Why an answer with this head is not accepted; nil if it is. An answer without a body needs no type.
  public func refusal(of response: TransportResponse) -> ImageError? {
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
