import Synchronization

/// Origins that have answered over HTTP/2, as far as is remembered. Used from any thread.
final class HTTP2Origins: Sendable {
  private static let limit = 1000
  private let known = Mutex<Set<WebAddress.Origin>>([])

  /// Whether none is known: cheaper than to look for one.
  var isEmpty: Bool { known.withLock { $0.isEmpty } }

  func contains(_ origin: WebAddress.Origin) -> Bool { known.withLock { $0.contains(origin) } }

  /// An origin has answered in this version.
  func learn(_ origin: WebAddress.Origin, speaks version: String) {
    known.withLock { known in
      guard version == "2" else {
        if !known.isEmpty { known.remove(origin) }
        return
      }
      // Whom it costs anything is learnt again with the next answer.
      if known.count >= Self.limit, !known.contains(origin) { known.removeAll() }
      known.insert(origin)
    }
  }
}
