/// Conditional requests for a stored response, and the effect of a 304 response (RFC 9111, 4.3).
extension StoredResponse {
  /// The headers that make a request conditional; empty if the response has no usable validator.
  var validators: HTTPHeaders {
    var validators = HTTPHeaders()
    validators["If-None-Match"] = Self.validHeaderValue(response.headers["ETag"])
    validators["If-Modified-Since"] = Self.validHeaderValue(response.headers["Last-Modified"])
    return validators
  }

  /// Returns this response with the headers and the age of a 304 response.
  ///
  /// Returns nil if the 304 response belongs to another version of the image, because the strong entity tags differ.
  /// The caller then repeats the request without a condition. The returned response may not be storable: see
  /// `mayBeStored`.
  ///
  /// - Parameters:
  ///   - notModified: The 304 response. Any other status returns nil.
  ///   - sent: The headers of the request, for `Vary`.
  ///   - requested: The time at which the request was sent, in seconds since 1970 by this machine's clock.
  ///   - received: The time at which the 304 response arrived, in seconds since 1970 by this machine's clock.
  func merging(
    _ notModified: TransportResponse, sent: HTTPHeaders, requested: Double, received: Double
  ) -> StoredResponse? {
    guard notModified.status == 304 else { return nil }
    if let new = notModified.headers["ETag"], let old = response.headers["ETag"], new != old,
      !new.hasPrefix("W/"), !old.hasPrefix("W/")
    {
      return nil
    }
    let new = Self.endToEnd(notModified.headers).fields.filter {
      !Self.bodyHeaderNames.contains($0.name.lowercased())
    }
    // The old `Date` and `Age` are dropped even if the 304 response does not repeat them: the age counts from now on.
    let replaced = Set(new.map { $0.name.lowercased() }).union(["date", "age"])
    let old = response.headers.fields.filter { !replaced.contains($0.name.lowercased()) }
    let headers = HTTPHeaders(old + new)
    return StoredResponse(
      response: TransportResponse(
        url: response.url, status: response.status, headers: headers,
        expectedLength: response.expectedLength),
      body: body, varying: Self.varying(headers, sent: sent), requested: requested, received: received)
  }

  /// The names of headers that describe the stored body, in lower case. A 304 response does not change them, because it
  /// has no body (RFC 9111, 3.2).
  private static let bodyHeaderNames: Set<String> = [
    "content-length", "content-encoding", "content-range", "content-type", "content-md5",
  ]

  /// Returns a value that may be sent in a header; nil for an empty value or one with control characters.
  private static func validHeaderValue(_ value: String?) -> String? {
    guard let value, !value.isEmpty, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
    return value
  }
}
