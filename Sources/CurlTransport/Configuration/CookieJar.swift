import CCurl
import Glibc

/// Cookies of one transport, or of several that are given the same jar; in memory only.
///
/// They are kept and sent as RFC 6265 says: by host, path and `Secure`, not by port, and none for a whole
/// public suffix (`.com`). A request's own Cookie header is sent along with them.
///
/// ```swift
/// configuration.cookies = CookieJar()
/// ```
///
/// May be used from any thread.
public final class CookieJar: Sendable {
  let share: ShareHandle

  /// A jar without cookies.
  public init() {
    share = ShareHandle([CURL_LOCK_DATA_COOKIE, CURL_LOCK_DATA_SSL_SESSION])
  }

  /// Returns the cookies that libcurl would send now, as `name=value`, in no particular order.
  func cookies(for address: WebAddress) -> [String] {
    guard let easy = EasyHandle(sharing: share) else { return [] }
    let now = Int64(time(nil))
    return easy.cookieLines.compactMap { JarCookie($0) }.filter { $0.isSent(to: address, at: now) }
      .map { "\($0.name)=\($0.value)" }
  }

  /// Forgets all cookies, as when somebody signs out. Transfers under way may bring new ones.
  public func removeAll() {
    // The one way to it that libcurl has. Without memory for a handle there is none for cookies either.
    guard let easy = EasyHandle(sharing: share) else { return }
    try? easy.set(CURLOPT_COOKIELIST, "ALL")
  }
}
