public import FoundationEssentials
public import VitrineGraphics

/// Why there is no picture. Compares by value, so that a caller (or a test) can look for one exactly.
public enum ImageError: Error, Hashable, Sendable {
  /// The load was cancelled; the value names its URL. Views do not show a cancelled load as a failure.
  ///
  /// All cancellations are equal: compare with `ImageError.cancelled` and match `.failure(.cancelled)`.
  case cancelledLoad(CancelledLoad)
  /// No URL, or a text that is none.
  case invalidURL(String)
  /// A URL whose scheme no transport serves.
  case unsupportedScheme(String)
  /// The network failed: libcurl's code (`CURLE_…`) and its message.
  case transport(code: Int, message: String)
  /// It took longer than it may.
  case timedOut(TimeLimit)
  /// An https server or https proxy could not prove that it is `host`; no request was sent to it. `message` is the text
  /// of the TLS library. Retrying does not help, unless `cause` suggests that the clock of this machine was wrong.
  case untrustedServer(host: String, cause: TrustFailure, message: String)
  /// The proxy did not do its part: the status that it answered with, 407 if it wants other credentials; nil
  /// if there was none, as when it cannot be reached.
  case proxyFailed(status: Int?, message: String)
  /// The server answered with a status that the request does not accept: another than 2xx, unless it says so.
  case status(Int)
  /// The answer is of a type that `Configuration.acceptance` does not name; empty for an answer without a type.
  case contentType(String)
  /// `Configuration.requestModifier` threw; what it said.
  case requestRefused(String)
  /// `Configuration.responseModifier` or `bodyModifier` threw; what it said.
  case responseRefused(String)
  /// A redirect was not followed.
  case redirectRefused(RedirectRefusal)
  /// A local file cannot be read; the system's message.
  case unreadableFile(path: String, message: String)
  /// The answer had no bytes.
  case emptyBody
  /// The bytes are no picture of a format that is decoded; the first of them, 16 at most.
  case notAnImage(signature: [UInt8])
  /// A picture that is damaged or that its decoder refuses.
  case decoding(ImageFormat, message: String)
  /// The bytes of a request that is not decoded failed its `validator`; the text of the thrown error.
  case invalidData(String)
  /// An image of the application could not be encoded in a format. `message` is the text of the encoder.
  case encoding(ImageFormat, message: String)
  /// More than a limit allows.
  case tooLarge(Limit)
  /// A transform could not be applied; its identifier and what it said.
  case transform(identifier: String, message: String)
  /// `CachePolicy.cacheOnly`, and it is not in the cache.
  case notCached
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
    public init(url: URL? = nil) { self.url = url?.withoutLogin }

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

  /// Which limit has passed, and what it is set to.
  public enum TimeLimit: Hashable, Sendable {
    /// To look the name up, connect and agree on TLS.
    case connect(seconds: Double)
    /// Without a byte from the server.
    case stall(seconds: Double)
    /// From start to end.
    case total(seconds: Double)
  }

  /// Why a redirect was not followed.
  public enum RedirectRefusal: Hashable, Sendable {
    /// More than `limit` hops, or a loop.
    case tooMany(limit: Int)
    /// From https to http.
    case downgrade
    /// To a scheme that is never reached by a redirect: file, data, ftp, …
    case scheme(String)
    /// A redirect status without a usable Location.
    case badLocation(String)
    /// The transport's own rule refused it; where it led to, without user and password.
    case byRule(to: String)
  }

  /// Which limit, and what it is set to.
  public enum Limit: Hashable, Sendable {
    /// Bytes of a body.
    case body(bytes: Int)
    /// Pixels to decode.
    case pixels(Int)
    /// Pixels on one side.
    case side(Int)
    /// The peak number of bytes for decoding at the requested size, and the memory budget in bytes. If `needed` is at
    /// most `allowed`, there was no room because other images were using the memory; a later load may succeed.
    case memory(needed: Int, allowed: Int)
    /// The number of samples that all scans of a JPEG together unpack.
    case samples(Int)
  }
}

extension ImageError: CustomStringConvertible {
  /// One line in plain words, without a full stop.
  public var description: String {
    switch self {
    case .cancelledLoad(let load):
      load.url.map { "cancelled: \($0.absoluteString.withoutSecrets)" } ?? "cancelled"
    case .invalidURL(let text): text.isEmpty ? "no URL" : "not a URL: \(text.withoutSecrets)"
    case .unsupportedScheme(let scheme): "no transport for the scheme “\(scheme.withoutSecrets)”"
    case .transport(let code, let message): "\(message) (curl \(code))"
    case .timedOut(.connect(let seconds)): "not connected within \(seconds) s"
    case .timedOut(.stall(let seconds)): "nothing came for \(seconds) s"
    case .timedOut(.total(let seconds)): "not done within \(seconds) s"
    case .untrustedServer(let host, let cause, let message):
      "\(host.shortened) is not trusted: \(cause.explanation)\(message.isEmpty ? "" : " (\(message))")"
    case .proxyFailed(_, let message): "the proxy failed: \(message)"
    case .status(let status): "the server answered \(status)"
    case .contentType(let type):
      type.isEmpty ? "an answer without a type" : "an answer of type “\(type.shortened)”"
    case .requestRefused(let message): "the request was refused: \(message)"
    case .responseRefused(let message): "the answer was refused: \(message)"
    case .redirectRefused(.tooMany(let limit)): "more than \(limit) redirects"
    case .redirectRefused(.downgrade): "a redirect from https to http"
    case .redirectRefused(.scheme(let scheme)): "a redirect to the scheme “\(scheme.withoutSecrets)”"
    case .redirectRefused(.badLocation(let text)): "a redirect to nowhere: “\(text.withoutSecrets)”"
    case .redirectRefused(.byRule(let text)): "a redirect that the rule refuses: \(text.withoutSecrets)"
    case .unreadableFile(let path, let message): "cannot read \(path): \(message)"
    case .emptyBody: "the answer is empty"
    case .notAnImage: "the answer is not a picture"
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
    case .notConfigured:
      "no shared downloader yet: make an Application, or call Vitrine.bootstrap(), before the first load"
    case .shutDown: "the downloader has been shut down"
    }
  }
}

extension String {
  /// Its beginning, where it is too long for a line.
  fileprivate var shortened: String { prefix(101).count > 100 ? prefix(100) + "…" : self }
}
