import FoundationEssentials
import Glibc

// What "the same" means, level by level. All keys are structs of fields, never one string, so that
// "…/a" + "b" and "…/ab" + nil stay two pictures.
//
//   RequestIdentity   the same bytes: URL without fragment, headers that change the answer
//   PictureIdentity   the same picture: the bytes, and what the caller (or the transforms) made of them
//   DecodeKey         the same pixels: the bytes, decoded at one size under the same limits
//   PictureKey        the same work: the pixels, made into one picture by the same transforms
//
// Priority, cache policy and time limits take no part at any level.

/// Which bytes are asked for: the URL without its fragment, and those headers that change the answer.
///
/// Its hash is worked out once, when it is made, so that it may be looked up several times for little.
public struct RequestIdentity: Hashable, Sendable {
  /// Headers that change the answer: two requests that differ in one of them never share an entry or a
  /// download; two that differ in others do.
  public static let headerNames = ["Authorization", "Cookie", "Accept", "Accept-Language"]

  /// The absolute URL without its fragment.
  public let url: String
  private let headers: [HTTPHeaders.Field]
  private let hash: Int

  /// The identity of what `request` fetches. O(length of the URL).
  public init(_ request: ImageRequest) {
    url = Self.withoutFragment(request.url.absoluteString)
    headers = request.headers.isEmpty ? [] : Self.answerChanging(request.headers)
    var hasher = Hasher()
    hasher.combine(url)
    for field in headers { hasher.combine(field) }
    hash = hasher.finalize()
  }

  /// The same URL and the same headers of those named above.
  public static func == (a: RequestIdentity, b: RequestIdentity) -> Bool {
    a.hash == b.hash && a.url == b.url && a.headers == b.headers
  }

  /// Feeds the hash that was worked out when it was made. O(1).
  public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  private static func withoutFragment(_ text: String) -> String {
    let mark = UInt8(ascii: "#")
    // Nearly no picture has one, and this is on the way to every memory hit.
    let hasMark = text.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.baseAddress.map { memchr($0, Int32(mark), bytes.count) != nil } ?? false
    }
    guard hasMark ?? true, let place = text.utf8.firstIndex(of: mark) else { return text }
    return String(text[..<place])
  }

  /// Names spelt as above and in that order, so that neither case nor order of the caller's counts.
  private static func answerChanging(_ headers: HTTPHeaders) -> [HTTPHeaders.Field] {
    headerNames.flatMap { name in
      headers.fields.lazy.filter { HTTPHeaders.isSame($0.name, name) }
        .map { HTTPHeaders.Field(name: name, value: $0.value) }
    }
  }
}

/// Which picture is asked for, at any size: a request and an additional identifier (AF-F3, without its
/// collisions).
///
/// No identifier is an identity of its own. A request with transforms and no identifier is identified by its
/// transforms; an identifier given by the caller stands for whatever was made.
public struct PictureIdentity: Hashable, Sendable {
  /// Which bytes.
  public let request: RequestIdentity
  /// As the caller gave it.
  public let additionalIdentifier: String?
  /// Identifiers of the transforms, in order; empty when the caller gave an identifier.
  public let transforms: [String]

  /// The identity of what `request` asks for under `additionalIdentifier`. O(length of the URL).
  public init(_ request: ImageRequest, additionalIdentifier: String? = nil) {
    self.request = RequestIdentity(request)
    self.additionalIdentifier = additionalIdentifier
    transforms =
      additionalIdentifier == nil && !request.transforms.isEmpty
      ? request.transforms.map(\.identifier) : []
  }

  /// Feeds the hash of the request, the identifier and the transforms.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(request)
    if let additionalIdentifier { hasher.combine(additionalIdentifier) }
    for transform in transforms { hasher.combine(transform) }
  }
}
