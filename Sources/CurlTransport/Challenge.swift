import VitrineLoading

/// The answers that ask a hop who it is, and whether libcurl has something to say to that.
///
/// It asks again by itself, with a proof, if it can; that shows only when the request leaves once more.
/// Until then the answer is withheld from the receiver.
struct Challenge: Sendable {
  private(set) var withheld: TransportResponse?
  private var count = 0

  /// Withholds an answer of status 401 that a digest may be the reply to: once, and once more if only the
  /// server's number has gone stale (RFC 7616, 3.3). False if it is the last word.
  mutating func withhold(
    _ response: TransportResponse, knowing credential: CurlTransport.Credential.Secret?
  ) -> Bool {
    guard response.status == 401, count < 2, case .digest = credential else { return false }
    let asked = response.headers.fields.filter { $0.name.lowercased() == "www-authenticate" }
      .map { $0.value.lowercased().filter { $0 != "\"" } }.filter { $0.contains("digest") }
    guard asked.contains(where: { count == 0 || $0.contains("stale=true") }) else { return false }
    withheld = response
    count += 1
    return true
  }

  /// Whether it has been replied to: the request leaves once more.
  mutating func reply() -> Bool { take() != nil }

  /// What nobody has replied to.
  mutating func take() -> TransportResponse? {
    defer { withheld = nil }
    return withheld
  }
}
