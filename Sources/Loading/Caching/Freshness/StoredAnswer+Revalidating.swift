/// How a server is asked whether what was kept is still good, and what its word changes (RFC 9111, 4.3).
extension StoredAnswer {
  /// The headers that ask for the body only if it has changed; none if the answer has nothing to ask by.
  var validators: HTTPHeaders {
    var validators = HTTPHeaders()
    validators["If-None-Match"] = Self.sendable(response.headers["ETag"])
    validators["If-Modified-Since"] = Self.sendable(response.headers["Last-Modified"])
    return validators
  }

  /// With the headers that came with a 304, and as old as they are.
  ///
  /// Nil if the 304 is not about this answer, and it has to be asked for without a condition: its strong entity tag is
  /// another one. May be no more to be kept: see `mayBeKept`.
  ///
  /// - Parameters:
  ///   - sent: the headers of the request, for `Vary`.
  ///   - requested: seconds since 1970, by this machine's clock, when it was sent.
  ///   - received: the same, when the 304 came.
  func merging(
    _ unchanged: TransportResponse, sent: HTTPHeaders, requested: Double, received: Double
  ) -> StoredAnswer? {
    guard unchanged.status == 304 else { return nil }
    if let new = unchanged.headers["ETag"], let old = response.headers["ETag"], new != old,
      !new.hasPrefix("W/"), !old.hasPrefix("W/")
    {
      return nil
    }
    let new = Self.endToEnd(unchanged.headers).fields.filter {
      !Self.ofTheBody.contains($0.name.lowercased())
    }
    // Its age counts from now, whether or not the 304 says it again.
    let replaced = Set(new.map { $0.name.lowercased() }).union(["date", "age"])
    let old = response.headers.fields.filter { !replaced.contains($0.name.lowercased()) }
    let headers = HTTPHeaders(old + new)
    return StoredAnswer(
      response: TransportResponse(
        url: response.url, status: response.status, headers: headers,
        expectedLength: response.expectedLength),
      body: body, varying: Self.varying(headers, sent: sent), requested: requested, received: received)
  }

  /// Of the bytes as they are kept: what a 304 says of them is about bytes that it does not bring (RFC 9111, 3.2).
  private static let ofTheBody: Set<String> = [
    "content-length", "content-encoding", "content-range", "content-type", "content-md5",
  ]

  /// What can stand in a header.
  private static func sendable(_ value: String?) -> String? {
    guard let value, !value.isEmpty, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
    return value
  }
}
