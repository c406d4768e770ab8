import CCurl
import Glibc
import Synchronization

/// The cookies of one transport, or of several transports that share the jar. Kept in memory only.
///
/// Cookies are stored and sent as RFC 6265 specifies: by host, path and `Secure`, not by port, and never for a whole
/// public suffix (`.com`). A Cookie header of the request itself is sent along with the cookies of the jar. A jar keeps
/// the latest 50 cookies of a domain and the latest 1,000 in total.
///
/// ```swift
/// configuration.cookies = CookieJar()
/// ```
///
/// May be used from any thread.
public final class CookieJar: Sendable {
  private struct State {
    var index: CookieIndex
    /// The value of `changes` when the index was last updated.
    var indexed = 0
  }

  let share: ShareHandle
  /// The number of times that a response has set cookies or the jar was emptied.
  private let changes = Atomic(0)
  private let state: Mutex<State>

  /// Creates an empty jar.
  public convenience init() { self.init(limits: .init()) }

  init(limits: CookieIndex.Limits) {
    share = ShareHandle([CURL_LOCK_DATA_COOKIE, CURL_LOCK_DATA_SSL_SESSION])
    state = Mutex(State(index: CookieIndex(limits)))
  }

  /// Returns the cookies that libcurl would send now, as `name=value`, in no particular order. Lists the whole jar only
  /// if it has changed since the last call.
  func cookies(for address: WebAddress) -> [String] {
    let now = Int64(time(nil))
    return state.withLock { state in
      update(&state, at: now)
      return state.index.cookies(for: address, at: now).map { "\($0.name)=\($0.value)" }
    }
  }

  /// Returns true if a header line of a response is a Set-Cookie field, from which libcurl reads a cookie.
  static func isSetCookie(_ line: UnsafeRawBufferPointer) -> Bool {
    let name = "set-cookie:".utf8
    return line.count >= name.count && zip(line, name).allSatisfy { $0 | 0x20 == $1 | 0x20 }
  }

  /// Notifies the jar that a response has set cookies.
  func didChange() { changes.add(1, ordering: .acquiringAndReleasing) }

  /// Removes the oldest cookies beyond the limits of the jar.
  func removeExcess() { state.withLock { update(&$0, at: Int64(time(nil))) } }

  /// The number of unexpired cookies that libcurl stores; for tests.
  var count: Int {
    let now = Int64(time(nil))
    let lines = EasyHandle(sharing: share)?.cookieLines ?? []
    return lines.count { JarCookie($0)?.isExpired(at: now) == false }
  }

  private func update(_ state: inout State, at now: Int64) {
    let changes = changes.load(ordering: .acquiring)
    // Without memory for a handle, the index stays outdated until a later call succeeds.
    guard changes != state.indexed, let easy = EasyHandle(sharing: share) else { return }
    state.indexed = changes
    for cookie in state.index.update(easy.cookieLines, at: now) {
      try? easy.set(CURLOPT_COOKIELIST, cookie.removal)
    }
  }

  /// Removes all cookies, for example when a user signs out. Running transfers may add new ones.
  public func removeAll() {
    // libcurl offers no other way to clear a jar. If there is no memory for a handle, the cookies stay.
    guard let easy = EasyHandle(sharing: share) else { return }
    try? easy.set(CURLOPT_COOKIELIST, "ALL")
    didChange()
  }
}
