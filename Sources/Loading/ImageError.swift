public import FoundationEssentials
public import VitrineGraphics

/// The reason why a load failed. Errors are compared by value, so that a caller or a test can match a particular error.
public enum ImageError: Error, Hashable, Sendable {
  /// The load was cancelled; the value names its URL. Views do not show a cancelled load as a failure.
  ///
  /// All cancellations are equal: compare with `ImageError.cancelled` and match `.failure(.cancelled)`.
  case cancelledLoad(CancelledLoad)
  /// The URL is missing, or the text is not an absolute URL.
  case invalidURL(String)
  /// No transport serves the scheme of the URL.
  case unsupportedScheme(String)
  /// The network failed, or a local file cannot be read at the moment. `message` is the text of the network library,
  /// with its code, or of the system.
  case transport(TransportFailure, message: String)
  /// A time limit was exceeded.
  case timedOut(TimeLimit)
  /// An https server or https proxy could not prove to be `host`; no request was sent to it. `message` is the text of
  /// the TLS library. Retrying helps only if the clock of this machine was wrong, or if a captive portal responded in
  /// place of the server.
  case untrustedServer(host: String, cause: TrustFailure, message: String)
  /// The proxy refused or failed. `status` is the status of its response, 407 if the proxy requires other credentials;
  /// `nil` if there was no response, for example because the proxy cannot be reached.
  case proxyFailed(status: Int?, message: String)
  /// The server responded with a status that the request does not accept; by default any status other than 2xx.
  case status(Int)
  /// The response has a content type that `Configuration.responses.acceptance` does not accept; empty for a response
  /// without a type.
  case contentType(String)
  /// `Configuration.requests.modifier` threw the error that is described by the text.
  case requestRefused(String)
  /// `Configuration.responses.modifier` or `bodyModifier` threw the error that is described by the text.
  case responseRefused(String)
  /// A redirect was not followed.
  case redirectRefused(RedirectRefusal)
  /// A local file cannot be read, and another attempt would fail as well unless the file changes. `message` is the
  /// error text of the system (`strerror`).
  case unreadableFile(path: String, message: String)
  /// The response has no bytes.
  case emptyBody
  /// The bytes are not an image in a format that is decoded. `signature` has the first bytes, 16 at most.
  case notAnImage(signature: [UInt8])
  /// The image is damaged, or its decoder refuses it.
  case decoding(ImageFormat, message: String)
  /// The bytes of a request that is not decoded failed its `validator`; the text of the thrown error.
  case invalidData(String)
  /// An image of the application could not be encoded in a format. `message` is the text of the encoder.
  case encoding(ImageFormat, message: String)
  /// A limit was exceeded.
  case tooLarge(Limit)
  /// The transform with this identifier could not be applied. `message` is the text of its error.
  case transform(identifier: String, message: String)
  /// The request has the policy `CachePolicy.cacheOnly`, and the image is not in the cache.
  case notCached
  /// `ImageDownloader.isOffline` is true, and the image is not stored or may not be shown without its server. Slots send
  /// the request when the downloader is no longer offline.
  case offline
  /// `ImageDownloader.shared` was used before `Application` or `Vitrine.bootstrap()` set it.
  case notConfigured
  /// The downloader has been shut down.
  case shutDown

  /// The load was cancelled. This value equals and matches the cancellation of any URL.
  public static let cancelled = ImageError.cancelledLoad(CancelledLoad())

  /// The URL of a cancelled load. All values are equal, so that all cancellations compare as equal.
  public struct CancelledLoad: Hashable, Sendable {
    /// The URL of the request, without user and password; `nil` if the request was not known yet.
    public let url: URL?

    /// Creates a cancellation of a request for `url`.
    package init(url: URL? = nil) { self.url = url?.withoutLogin }

    /// Always true.
    public static func == (a: CancelledLoad, b: CancelledLoad) -> Bool { true }
    /// Hashes nothing, because all values are equal.
    public func hash(into hasher: inout Hasher) {}
  }

  /// The URL of a cancellation, without user and password (`NSURLErrorFailingURLErrorKey`); `nil` for other errors,
  /// because their receiver has the task or the request.
  public var failingURL: URL? {
    if case .cancelledLoad(let load) = self { load.url } else { nil }
  }

  /// True for a cancelled load with any URL.
  public var isCancellation: Bool {
    if case .cancelledLoad = self { true } else { false }
  }

  /// Returns true if a caught error equals `pattern`, so that `catch ImageError.cancelled` catches every cancellation.
  public static func ~= (pattern: ImageError, error: any Error) -> Bool { error as? ImageError == pattern }

  /// An exceeded time limit in seconds.
  public enum TimeLimit: Hashable, Sendable {
    /// The time to look up the name, connect and negotiate TLS.
    case connect(seconds: Double)
    /// The time without a byte from the server.
    case stall(seconds: Double)
    /// The time from start to end.
    case total(seconds: Double)
  }

  /// The reason why a redirect was not followed.
  public enum RedirectRefusal: Hashable, Sendable {
    /// More than `limit` redirects in a row, or a loop.
    case tooMany(limit: Int)
    /// A redirect from https to http.
    case downgrade
    /// A redirect to a scheme that no redirect may lead to: file, data, ftp, …
    case scheme(String)
    /// A redirect status without a usable `Location`.
    case badLocation(String)
    /// The transport's own rule refused the redirect; `to` is the target, without user and password.
    case byRule(to: String)
  }

  /// An exceeded limit and the limit's value.
  public enum Limit: Hashable, Sendable {
    /// The number of bytes of a body.
    case body(bytes: Int)
    /// The number of pixels to decode.
    case pixels(Int)
    /// The number of pixels on one side.
    case side(Int)
    /// The peak number of bytes for decoding at the requested size, and the memory budget in bytes. If `needed` is at
    /// most `allowed`, there was no room because other images were using the memory; a later load may succeed.
    case memory(needed: Int, allowed: Int)
    /// The number of samples that all scans of a JPEG together unpack.
    case samples(Int)
  }
}

extension ImageError: CustomStringConvertible {
  /// A description in one line, without a full stop.
  public var description: String {
    switch self {
    case .cancelledLoad(let load):
      load.url.map { "cancelled: \($0.absoluteString.withoutSecrets)" } ?? "cancelled"
    case .invalidURL(let text): text.isEmpty ? "no URL" : "not a URL: \(text.withoutSecrets)"
    case .unsupportedScheme(let scheme): "no transport for the scheme “\(scheme.withoutSecrets)”"
    case .transport(_, let message): message
    case .timedOut(.connect(let seconds)): "not connected within \(seconds) s"
    case .timedOut(.stall(let seconds)): "no bytes received for \(seconds) s"
    case .timedOut(.total(let seconds)): "not complete within \(seconds) s"
    case .untrustedServer(let host, let cause, let message):
      "\(host.shortened) is not trusted: \(cause.explanation)\(message.isEmpty ? "" : " (\(message))")"
    case .proxyFailed(_, let message): "the proxy failed: \(message)"
    case .status(let status): "the server responded with \(status)"
    case .contentType(let type):
      type.isEmpty ? "a response without a type" : "a response of type “\(type.shortened)”"
    case .requestRefused(let message): "the request was refused: \(message)"
    case .responseRefused(let message): "the response was refused: \(message)"
    case .redirectRefused(.tooMany(let limit)): "more than \(limit) redirects"
    case .redirectRefused(.downgrade): "a redirect from https to http"
    case .redirectRefused(.scheme(let scheme)): "a redirect to the scheme “\(scheme.withoutSecrets)”"
    case .redirectRefused(.badLocation(let text)): "a redirect to an invalid URL: “\(text.withoutSecrets)”"
    case .redirectRefused(.byRule(let text)): "a redirect that the rule refuses: \(text.withoutSecrets)"
    case .unreadableFile(let path, let message): "cannot read \(path): \(message)"
    case .emptyBody: "the response is empty"
    case .notAnImage: "the response is not an image"
    case .decoding(let format, let message): "damaged \(format.rawValue): \(message)"
    case .invalidData(let message): message
    case .encoding(let format, let message): "cannot write \(format.rawValue): \(message)"
    case .tooLarge(.body(let bytes)): "more than \(bytes) bytes"
    case .tooLarge(.pixels(let pixels)): "more than \(pixels) pixels"
    case .tooLarge(.side(let side)): "a side of more than \(side) pixels"
    case .tooLarge(.memory(let needed, let allowed)) where needed <= allowed:
      "decoding takes \(needed) bytes, and other images leave less of the memory budget of \(allowed)"
    case .tooLarge(.memory(let needed, let allowed)):
      "decoding takes \(needed) bytes, and the memory budget leaves \(allowed)"
    case .tooLarge(.samples(let samples)): "scans of more than \(samples) samples"
    case .transform(let identifier, let message): "the transform \(identifier) failed: \(message)"
    case .notCached: "not in the cache"
    case .offline: "offline"
    case .notConfigured:
      "no shared downloader yet: make an Application, or call Vitrine.bootstrap(), before the first load"
    case .shutDown: "the downloader has been shut down"
    }
  }
}

extension String {
  /// The text, shortened to 100 characters and an ellipsis if longer.
  fileprivate var shortened: String { prefix(101).count > 100 ? prefix(100) + "…" : self }
}
