import VitrineLoading

/// The authentication challenge of a hop: a 401 response to which libcurl may reply on its own with a digest.
///
/// libcurl repeats the request with a proof if it can, which shows only when the request is sent again. Until then the
/// 401 response is withheld from the receiver.
struct Challenge: Sendable {
  private(set) var withheld: TransportResponse? {
    didSet { isWithholding = withheld != nil }
  }
  /// True if a response is withheld.
  private(set) var isWithholding = false
  private var count = 0

  /// Withholds a 401 response that a digest credential can reply to. Accepts the first such response, and a second one
  /// only if the server says that its nonce is stale (RFC 7616, 3.3). Returns false if the response is final.
  mutating func withhold(
    _ response: TransportResponse, knowing credential: CurlTransport.Credential.Secret?
  ) -> Bool {
    guard response.status == 401, count < 2, case .digest = credential else { return false }
    let challenges = response.headers.fields.filter { $0.name.lowercased() == "www-authenticate" }
      .map { $0.value.lowercased().filter { $0 != "\"" } }.filter { $0.contains("digest") }
    guard challenges.contains(where: { count == 0 || $0.contains("stale=true") }) else { return false }
    withheld = response
    count += 1
    return true
  }

  /// Drops the withheld response because the request is being sent again. Returns true if a response was withheld.
  mutating func reply() -> Bool { takeWithheld() != nil }

  /// Removes and returns the withheld response, to which libcurl has not replied; `nil` if there is none.
  mutating func takeWithheld() -> TransportResponse? {
    defer { withheld = nil }
    return withheld
  }
}
