import FoundationEssentials
import Glibc

// What "the same" means, level by level. All keys are structs of fields, never one string, so that
// "…/a" + "b" and "…/ab" + nil stay two pictures.
//
//   RequestIdentity   the same bytes: URL (or the key that a filter makes of it) without fragment, and
//                     headers that change the answer
//   PictureIdentity   the same picture: the bytes, and what the caller (or the transforms) made of them
//   DecodeKey         the same pixels: the bytes, decoded at one size under the same limits
//   PictureKey        the same work: the pixels, made into one picture by the same transforms, for one cache
//
// Priority, cache policy and time limits take no part at any level.

/// Which bytes are asked for: the URL without its fragment, and those headers that change the answer.
///
/// Worked out and hashed once, with the request; copies share it. A memory hit therefore costs little more
/// than looking up a word.
public struct RequestIdentity: Hashable, Sendable {
  /// Headers that change the answer: two requests that differ in one of them never share an entry or a
  /// download; two that differ in others do.
  public static let headerNames = ["Authorization", "Cookie", "Accept", "Accept-Language"]

  private final class Storage: Sendable {
    /// As they were given, for the request.
    let fullURL: URL
    let allHeaders: HTTPHeaders
    /// Digests of the credentials that the transport adds. They count once a server has named their headers in `Vary`.
    let credentials: CredentialDigests
    /// What counts of them.
    let url: String
    let headers: [HTTPHeaders.Field]
    let hash: Int
    /// Whether `url` is not that of `fullURL`, but of a key filter.
    let hasKey: Bool
    /// The trust settings of the transport; used in the identity on disk.
    let trust: String

    convenience init(
      _ fullURL: URL, _ allHeaders: HTTPHeaders, key: URL?, credentials: CredentialDigests = .init()
    ) {
      self.init(
        fullURL, allHeaders, credentials,
        url: RequestIdentity.withoutFragment((key ?? fullURL).absoluteString),
        hasKey: key != nil,
        headers: allHeaders.isEmpty ? [] : RequestIdentity.answerChanging(allHeaders))
    }

    init(
      _ fullURL: URL, _ allHeaders: HTTPHeaders, _ credentials: CredentialDigests, url: String, hasKey: Bool,
      headers: [HTTPHeaders.Field], trust: String = ""
    ) {
      self.fullURL = fullURL
      self.allHeaders = allHeaders
      self.credentials = credentials
      self.url = url
      self.hasKey = hasKey
      self.headers = headers
      self.trust = trust
      var hasher = Hasher()
      hasher.combine(url)
      for field in headers { hasher.combine(field) }
      hash = hasher.finalize()
    }
  }

  private let storage: Storage

  private init(_ storage: Storage) { self.storage = storage }

  /// The identity of what `request` fetches.
  public init(_ request: ImageRequest) { self = request.identity }

  /// `key` names the picture instead of `url`, if given. O(length of the URL).
  init(url: URL, headers: HTTPHeaders, key: URL? = nil, credentials: CredentialDigests = .init()) {
    storage = Storage(url, headers, key: key, credentials: credentials)
  }

  /// Worked out with the request.
  fileprivate var knownHash: Int { storage.hash }
  /// The URL as it was given.
  var fullURL: URL { storage.fullURL }
  /// All headers as they were given.
  var allHeaders: HTTPHeaders { storage.allHeaders }

  /// Of the URL and the headers that are sent, whatever key a filter has given it.
  var asSent: RequestIdentity {
    storage.hasKey
      ? RequestIdentity(url: fullURL, headers: allHeaders, credentials: credentials)
        .counting(Set(furtherHeaders.map(\.name))) : self
  }

  /// Without those headers that count because a server has named them: what was learnt goes with the process, and a disk
  /// stays.
  var withoutVarying: RequestIdentity {
    furtherHeaders.isEmpty
      ? self
      : RequestIdentity(
        Storage(
          fullURL, allHeaders, credentials, url: url, hasKey: storage.hasKey,
          headers: Array(storage.headers[..<furtherHeaders.startIndex]), trust: trust))
  }

  /// Returns the identity on disk, which several programs share: `withoutVarying`, together with the transport's trust
  /// settings. Responses from servers that another program does not trust are thereby kept apart.
  func onDisk(trust: String) -> RequestIdentity {
    guard storage.trust != trust else { return withoutVarying }
    return RequestIdentity(
      Storage(
        fullURL, allHeaders, credentials, url: url, hasKey: storage.hasKey,
        headers: Array(storage.headers[..<furtherHeaders.startIndex]), trust: trust))
  }

  /// The trust settings of the transport, on disk; empty for the system's.
  var trust: String { storage.trust }

  /// Digests of the credentials that the transport adds.
  var credentials: CredentialDigests { storage.credentials }

  /// Returns the identity with other digests of the transport's credentials. They do not count until a server names
  /// their headers; those that counted before count again after `counting`.
  func sentWith(_ credentials: CredentialDigests) -> RequestIdentity {
    guard credentials != self.credentials else { return self }
    let base = withoutVarying
    return RequestIdentity(
      Storage(
        fullURL, allHeaders, credentials, url: url, hasKey: storage.hasKey, headers: base.storage.headers,
        trust: trust))
  }

  /// Whether there are headers that do not count, as far as is known.
  var hasOtherHeaders: Bool {
    !storage.credentials.isEmpty || storage.allHeaders.fields.count > storage.headers.count
  }

  /// Those that count in any case.
  var baseHeaders: ArraySlice<HTTPHeaders.Field> {
    storage.headers.prefix { Self.headerNames.contains($0.name) }
  }

  /// Those that count because a server has named them.
  private var furtherHeaders: ArraySlice<HTTPHeaders.Field> {
    storage.headers.drop { Self.headerNames.contains($0.name) }
  }

  /// With those headers counted too whose names, in lower case, a server has given in `Vary`, or with all headers and
  /// credentials if the names contain `*`; the same where the request has none of them.
  func counting(_ names: Set<String>) -> RequestIdentity {
    let known = furtherHeaders
    // `Cookie` and `Authorization` headers of the request itself always count.
    let own = storage.allHeaders.fields.filter { field in
      !Self.headerNames.contains { HTTPHeaders.isSame($0, field.name) }
    }.map { HTTPHeaders.Field(name: $0.name.lowercased(), value: $0.value) }
    let new = (own + credentials.fields(named: names)).filter { field in
      (names.contains(field.name) || names == VaryingHeaders.every)
        && !known.contains { $0.name == field.name }
    }
    guard !new.isEmpty else { return self }
    return RequestIdentity(
      Storage(
        fullURL, allHeaders, credentials, url: url, hasKey: storage.hasKey,
        headers: storage.headers[..<known.startIndex] + (known + new).sorted { $0.name < $1.name }))
  }

  /// The absolute URL, or the key that `Configuration.keyFilter` made of it, without its fragment.
  public var url: String { storage.url }

  /// The same URL and the same headers of those named above.
  public static func == (a: RequestIdentity, b: RequestIdentity) -> Bool {
    a.storage === b.storage
      || a.storage.hash == b.storage.hash && a.storage.url == b.storage.url
        && a.storage.headers == b.storage.headers && a.storage.trust == b.storage.trust
  }

  /// Feeds the hash that was worked out with the request. O(1).
  public func hash(into hasher: inout Hasher) { hasher.combine(storage.hash) }

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

  /// The identity of what `request` asks for under `additionalIdentifier`.
  public init(_ request: ImageRequest, additionalIdentifier: String? = nil) {
    self = request.pictureIdentity(additionalIdentifier)
  }

  fileprivate init(request: RequestIdentity, additionalIdentifier: String?, transforms: [String]) {
    self.request = request
    self.additionalIdentifier = additionalIdentifier
    self.transforms = transforms
  }

  /// A hash that costs nothing where there is neither identifier nor transform.
  var placeHash: Int { additionalIdentifier == nil && transforms.isEmpty ? request.knownHash : hashValue }

  /// Feeds the hash of the request, the identifier and the transforms.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(request)
    if let additionalIdentifier { hasher.combine(additionalIdentifier) }
    for transform in transforms { hasher.combine(transform) }
  }
}

extension ImageRequest {
  /// `PictureIdentity.init` without its copy of the request, for the way of a memory hit.
  func pictureIdentity(_ additionalIdentifier: String?) -> PictureIdentity {
    guard additionalIdentifier == nil, !transforms.isEmpty else {
      return PictureIdentity(
        request: identity, additionalIdentifier: additionalIdentifier, transforms: [])
    }
    return PictureIdentity(
      request: identity, additionalIdentifier: nil, transforms: transforms.map(\.identifier))
  }
}
