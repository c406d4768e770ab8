package import FoundationEssentials
import Synchronization
import VitrineGraphics

// The levels of identity. All keys are structs of fields, never one string, so that "…/a" + "b" and "…/ab" + nil are
// different images.
//
//   RequestIdentity   the same bytes: URL (or the key that a filter makes of the URL) without fragment, and headers
//                     that change the response
//   ImageIdentity   the same image: the bytes, and the identifier of the caller or of the transforms
//   DecodeKey         the same pixels: the bytes, decoded at one size under the same limits
//   ProcessedImageKey the same work: the pixels, made into one image by the same transforms, for one cache
//
// Priority, cache policy and time limits are not part of any key.

/// The identity of the bytes that a request fetches: the URL without its fragment, and the headers that change the
/// response.
///
/// Computed and hashed once, when the request is created, and shared by copies of the request. A memory hit therefore
/// costs little more than a lookup of an integer.
public struct RequestIdentity: Hashable, Sendable {
  /// The headers that change the response. Requests that differ in one of these headers never share a cache entry or a
  /// download; requests that differ in others do, unless a server names the header in `Vary`.
  public static let headerNames = VaryingHeaders.alwaysCounted

  private final class Storage: Sendable {
    // These come first, next to the reference count, because they are all that a memory hit reads.
    let hash: Int
    /// The index in the memory cache that has stored an image with this identity last.
    let cacheIndex = Atomic<UInt32>(0)
    /// True if there may be headers or credentials that do not count, because no server has named them yet.
    let hasOtherHeaders: Bool
    /// The URL and the headers as given, for sending the request.
    let fullURL: URL
    let allHeaders: HTTPHeaders
    /// Digests of the credentials that the transport adds. They count once a server has named their headers in `Vary`.
    let credentials: CredentialDigests
    /// The URL and the headers that are compared.
    let url: String
    let headers: [HTTPHeaders.Field]
    /// True if `url` was returned by a key filter and is not that of `fullURL`.
    let hasKey: Bool
    /// True for a file or data URL.
    let isLocal: Bool
    /// The trust settings of the transport; used in the identity on disk.
    let trust: String
    /// The result of `digest(_:)`; `nil` until then.
    let digest = Mutex<[UInt8]?>(nil)

    convenience init(
      _ fullURL: URL, _ allHeaders: HTTPHeaders, key: URL?, credentials: CredentialDigests = .init()
    ) {
      self.init(
        fullURL, allHeaders, credentials,
        url: RequestIdentity.withoutFragment((key ?? fullURL).absoluteString), hasKey: key != nil,
        headers: allHeaders.isEmpty ? [] : RequestIdentity.identityFields(allHeaders))
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
      isLocal = hasKey ? fullURL.isLocal : URL.isLocal(url)
      var hasher = Hasher()
      hasher.combine(url)
      for field in headers { hasher.combine(field) }
      hash = hasher.finalize()
      hasOtherHeaders = !credentials.isEmpty || allHeaders.fields.count > headers.count
    }

    /// Compares the values. Not inlined, so that `==` is small enough to be inlined into each memory hit.
    @inline(never)
    func isEqual(to other: Storage) -> Bool {
      hash == other.hash && url == other.url && headers == other.headers && trust == other.trust
    }
  }

  private let storage: Storage

  private init(_ storage: Storage) { self.storage = storage }

  /// Creates the identity of the bytes that `request` fetches, the key of an `ImageDataCache`.
  public init(_ request: ImageRequest) { self = request.identity }

  /// Creates an identity; `key`, if given, identifies the image instead of `url`. O(length of the URL).
  init(url: URL, headers: HTTPHeaders, key: URL? = nil, credentials: CredentialDigests = .init()) {
    storage = Storage(url, headers, key: key, credentials: credentials)
  }

  /// The hash that was computed when the request was created.
  var cachedHash: Int { storage.hash }
  /// The address of the values, which copies of an identity share. Names the identity for as long as a copy exists.
  var address: ObjectIdentifier { ObjectIdentifier(storage) }
  /// The index in the memory cache that has stored an image with this identity last; 0 at first. A guess, because there
  /// may be other caches, and because the image may have been removed.
  var guessedIndex: Int { Int(storage.cacheIndex.load(ordering: .relaxed)) }

  /// Called when a memory cache stores an image with this identity.
  func setGuessedIndex(_ index: Int) {
    storage.cacheIndex.store(UInt32(truncatingIfNeeded: index), ordering: .relaxed)
  }

  /// True for a file or data URL, which needs no network.
  var isLocal: Bool { storage.isLocal }
  /// The URL as given.
  package var fullURL: URL { storage.fullURL }
  /// All headers as given.
  var allHeaders: HTTPHeaders { storage.allHeaders }

  /// The identity of the request that is sent: with the URL of the request instead of the key of a filter.
  var asSent: RequestIdentity {
    storage.hasKey
      ? RequestIdentity(url: fullURL, headers: allHeaders, credentials: credentials)
        .addingHeaders(named: Set(furtherHeaders.map(\.name))) : self
  }

  /// The identity without the headers that count because a server has named them in `Vary`. Those names are forgotten
  /// at the end of the process, but the disk cache stays.
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
  package var trust: String { storage.trust }

  /// Digests of the credentials that the transport adds.
  var credentials: CredentialDigests { storage.credentials }

  /// Returns the identity with other digests of the transport's credentials. They do not count until a server names
  /// their headers; after this call, `addingHeaders(named:)` must be called again for digests that counted before.
  func sentWith(_ credentials: CredentialDigests) -> RequestIdentity {
    guard credentials != self.credentials else { return self }
    let base = withoutVarying
    return RequestIdentity(
      Storage(
        fullURL, allHeaders, credentials, url: url, hasKey: storage.hasKey, headers: base.storage.headers,
        trust: trust))
  }

  /// True if there may be headers or credentials that do not count, because no server has named them yet.
  var hasOtherHeaders: Bool { storage.hasOtherHeaders }

  /// The headers that always count.
  package var baseHeaders: ArraySlice<HTTPHeaders.Field> {
    storage.headers.prefix { Self.headerNames.contains($0.name) }
  }

  /// The headers that count because a server has named them in `Vary`.
  private var furtherHeaders: ArraySlice<HTTPHeaders.Field> {
    storage.headers.drop { Self.headerNames.contains($0.name) }
  }

  /// Returns a digest of the identity, which `make` computes at the first call: a load that is looked up, locked and
  /// stored needs the digest several times. All callers pass the same function.
  package func digest(_ make: () -> [UInt8]) -> [UInt8] {
    if let digest = storage.digest.withLock({ $0 }) { return digest }
    let digest = make()
    storage.digest.withLock { $0 = digest }
    return digest
  }

  /// Returns the identity in which the headers and credentials with these names (in lower case, from `Vary`) count too,
  /// or all headers and credentials if the names are `VaryingHeaders.every`. Returns `self` if there are none.
  func addingHeaders(named names: Set<String>) -> RequestIdentity {
    let counted = furtherHeaders
    // `Cookie` and `Authorization` headers of the request itself always count.
    let candidates = storage.allHeaders.fields.filter { field in
      !Self.headerNames.contains { HTTPHeaders.isSame($0, field.name) }
    }.map { HTTPHeaders.Field(name: $0.name.lowercased(), value: $0.value) }
    let new = (candidates + credentials.fields(named: names)).filter { field in
      (names.contains(field.name) || names == VaryingHeaders.every)
        && !counted.contains { $0.name == field.name }
    }
    guard !new.isEmpty else { return self }
    return RequestIdentity(
      Storage(
        fullURL, allHeaders, credentials, url: url, hasKey: storage.hasKey,
        headers: storage.headers[..<counted.startIndex] + (counted + new).sorted { $0.name < $1.name }))
  }

  /// The absolute URL, or the key that `Configuration.requests.keyFilter` made of the URL, without its fragment. For
  /// logs and for caches that are searched by URL.
  public var url: String { storage.url }

  /// A stable name for the identity, for an application's own `ImageDataCache` that outlives the process: 64 lowercase
  /// hexadecimal digits, which may name a file.
  ///
  /// Identities have equal keys if and only if they are equal, in every process and on every machine: the key is the
  /// SHA-256 digest of the URL (or of the key of a filter), the headers that count, and the trust settings of the
  /// transport, which the identities have that a downloader passes to its `ImageDataCache`. No header and no login can
  /// be read from the key, but a short password could be found by trying, so keep the keys as private as the images.
  /// O(length of the URL and the headers), computed at each call.
  public var cacheKey: String {
    var bytes: [UInt8] = []
    // The lengths separate the texts, so that different texts never give the same bytes.
    for text in [storage.url, storage.trust] + storage.headers.flatMap({ [$0.name, $0.value] }) {
      withUnsafeBytes(of: UInt64(text.utf8.count).littleEndian) { bytes.append(contentsOf: $0) }
      bytes.append(contentsOf: text.utf8)
    }
    return SHA256.digest(bytes).hexadecimal
  }

  /// True if the URLs (or keys), the headers that count and the trust settings are equal.
  public static func == (a: RequestIdentity, b: RequestIdentity) -> Bool {
    a.storage === b.storage || a.storage.isEqual(to: b.storage)
  }

  /// Feeds the hash that was computed when the request was created. O(1).
  public func hash(into hasher: inout Hasher) { hasher.combine(storage.hash) }

  private static func withoutFragment(_ text: String) -> String {
    let mark = UInt8(ascii: "#")
    // Few URLs have a fragment, and each request comes through here before its memory hit.
    guard text.contains(byte: mark), let index = text.utf8.firstIndex(of: mark) else { return text }
    return String(text[..<index])
  }

  /// Returns the headers in `headerNames` with the names and the order of that list, so that neither case nor order of
  /// the caller's headers counts.
  private static func identityFields(_ headers: HTTPHeaders) -> [HTTPHeaders.Field] {
    headerNames.flatMap { name in
      headers.fields.lazy.filter { HTTPHeaders.isSame($0.name, name) }
        .map { HTTPHeaders.Field(name: name, value: $0.value) }
    }
  }
}

/// The identity of an image at any size: a request and an additional identifier. The key for an application's own
/// `ImageRequestCache`.
///
/// A missing identifier is an identity of its own. A request with transforms and without an identifier is identified by
/// its transforms; an identifier given by the caller stands for all changes that were made to the image.
public struct ImageIdentity: Hashable, Sendable {
  /// The identity of the bytes.
  public let request: RequestIdentity
  /// The additional identifier that the caller gave.
  public let additionalIdentifier: String?
  /// The identifiers of the transforms in order; empty if the caller gave an additional identifier.
  public let transforms: [String]

  /// Creates the identity of the image that `request` loads under `additionalIdentifier`.
  public init(_ request: ImageRequest, additionalIdentifier: String? = nil) {
    self = request.imageIdentity(additionalIdentifier)
  }

  init(request: RequestIdentity, additionalIdentifier: String?, transforms: [String]) {
    self.request = request
    self.additionalIdentifier = additionalIdentifier
    self.transforms = transforms
  }

  /// True if there is neither an identifier nor a transform.
  var isPlain: Bool { additionalIdentifier == nil && transforms.isEmpty }

  /// A hash that needs no computation for a plain identity.
  var lookupHash: Int { isPlain ? request.cachedHash : hashValue }

  /// Feeds the hash of the request, the identifier and the transforms.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(request)
    if let additionalIdentifier { hasher.combine(additionalIdentifier) }
    for transform in transforms { hasher.combine(transform) }
  }
}

extension ImageRequest {
  /// Returns the identity of the image. Unlike `ImageIdentity.init`, does not copy the request, because every memory
  /// hit comes through here.
  func imageIdentity(_ additionalIdentifier: String?) -> ImageIdentity {
    guard additionalIdentifier == nil, !transforms.isEmpty else {
      return ImageIdentity(request: identity, additionalIdentifier: additionalIdentifier, transforms: [])
    }
    return ImageIdentity(
      request: identity, additionalIdentifier: nil, transforms: transforms.map(\.identifier))
  }
}
