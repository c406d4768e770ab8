/// The consequences of an error: the columns of the table in `ImageError.traits`, which is the only place where errors
/// are classified.
struct ErrorTraits: OptionSet, Hashable, Sendable {
  let rawValue: UInt16

  /// Another attempt may soon succeed. Read by retries, recovery, resumable data and feeds.
  static let retryable = ErrorTraits(rawValue: 1 << 0)
  /// Another attempt would soon fail in the same way. Read by the failure memory.
  static let permanent = ErrorTraits(rawValue: 1 << 1)
  /// A stored response may be shown in place of the error (RFC 5861, 4). Read by the disk stage.
  static let permitsStale = ErrorTraits(rawValue: 1 << 2)
  /// The server reports that there is no such image any more, or none that may be shown. The stored response is removed,
  /// and is not shown when the server fails later. Statuses that refuse only this client (401, 403) are not included: a
  /// captive portal, a proxy or an expired login causes them as well.
  static let endsStorage = ErrorTraits(rawValue: 1 << 3)
  /// The bytes are not a valid image, so that another decode of the bytes would fail as well.
  static let damage = ErrorTraits(rawValue: 1 << 4)
  /// The load may succeed once the clock of this machine is set. Read by recovery.
  static let recoversWithClock = ErrorTraits(rawValue: 1 << 5)
  /// The load may succeed once other images use less memory. Read by recovery.
  static let recoversWithMemory = ErrorTraits(rawValue: 1 << 6)
  /// A later response may be usable: a captive portal may have responded in place of the server. Read by recovery and
  /// feeds.
  static let recoversWithResponse = ErrorTraits(rawValue: 1 << 7)
  /// The load may succeed once the downloader is no longer offline. Read by recovery.
  static let recoversOnline = ErrorTraits(rawValue: 1 << 8)
}

extension ImageError {
  /// The classification of the error.
  var traits: ErrorTraits {
    switch self {
    // `.unsupported` includes bytes that are not HTTP: another program may use the port while the server starts.
    case .transport(.unexpectedEncoding, _), .transport(.unsupported, _):
      [.permitsStale, .recoversWithResponse]
    case .transport(.invalidRequest, _), .transport(.aborted, _): [.permitsStale]
    case .transport, .timedOut: [.retryable, .permitsStale]
    case .untrustedServer(_, .expired, _), .untrustedServer(_, .notYetValid, _):
      [.permitsStale, .recoversWithClock]
    case .untrustedServer: [.permitsStale, .recoversWithResponse]
    // The proxy cannot be reached, or cannot reach the server. Any other status, such as 407, is a matter of settings.
    case .proxyFailed(nil, _), .proxyFailed(502, _), .proxyFailed(503, _), .proxyFailed(504, _):
      [.retryable, .permitsStale]
    case .proxyFailed: [.permitsStale]
    case .status(let status): Self.traits(ofStatus: status)
    case .contentType, .redirectRefused: [.permanent, .permitsStale, .recoversWithResponse]
    // A damaged image, or a file of another format, is not requested again by the recovery: each request would transfer
    // the whole file. A captive portal sends text.
    case .decoding: [.permanent, .permitsStale, .damage]
    case .notAnImage(let signature) where !Self.isText(signature): [.permanent, .permitsStale, .damage]
    case .emptyBody, .notAnImage: [.permanent, .permitsStale, .damage, .recoversWithResponse]
    case .invalidData: [.permitsStale, .damage]
    // Not sent at all, so that no attempt counts as failed.
    case .offline: [.retryable, .permitsStale, .recoversOnline]
    case .tooLarge(.memory(let needed, let allowed)) where needed <= allowed: [.recoversWithMemory]
    case .cancelledLoad, .invalidURL, .unsupportedScheme, .requestRefused, .responseRefused, .unreadableFile,
      .encoding, .tooLarge, .transform, .notCached, .notConfigured, .shutDown:
      []
    }
  }

  private static func traits(ofStatus status: Int) -> ErrorTraits {
    switch status {
    case 404, 410, 451: [.permanent, .endsStorage]
    case 407: [.permanent, .permitsStale]
    // Request timeout, too early, too many requests: the server invites another attempt.
    case 408, 425, 429: [.retryable, .permitsStale]
    case 400...499: [.permanent]
    // The server does not support the request, or its configuration is wrong (RFC 9110, 15.6).
    case 501, 505, 506, 508, 510: [.permitsStale]
    // Unknown statuses are equivalent to 500 (RFC 9110, 15): content delivery networks respond 520 to 530 while they
    // cannot reach the server. 511 comes from a network that requires a login.
    case 500...599: [.retryable, .permitsStale]
    default: [.permitsStale]
    }
  }

  /// Returns true if the first bytes of a body have no control characters except white space.
  private static func isText(_ signature: [UInt8]) -> Bool {
    signature.allSatisfy { (0x09...0x0D).contains($0) || $0 >= 0x20 }
  }

  /// True if another attempt may soon succeed: the network failed or timed out, the downloader was offline, this
  /// machine was short of file descriptors or memory, or the server or a proxy reported a temporary problem (408, 425,
  /// 429, and 5xx except 501, 505, 506, 508 and 510).
  public var isRetryable: Bool { traits.contains(.retryable) }

  /// True if a wrong clock on this machine is the likely cause: the certificate of a server has expired or is not valid
  /// yet. The same request may succeed once the clock is set.
  package var suggestsWrongClock: Bool { traits.contains(.recoversWithClock) }

  /// True if a stored response may be shown in place of the error.
  var isMissingResponse: Bool { traits.contains(.permitsStale) }

  /// True if the stored response is removed because of the error; see `ImageRequest.keepsStoredResponse`.
  var endsStorage: Bool { traits.contains(.endsStorage) }

  /// True if the error shows that the bytes are not a valid image.
  var isDamage: Bool { traits.contains(.damage) }

  /// True if decoding fits the memory budget but found no room, because other images were using the memory. False for
  /// an image that exceeds the whole budget.
  package var isMemoryShortage: Bool { traits.contains(.recoversWithMemory) }
}
