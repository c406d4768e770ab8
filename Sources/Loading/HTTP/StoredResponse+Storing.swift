/// The rules for storing responses and for matching stored responses with requests (RFC 9111, 3 and 4.1).
extension StoredResponse {
  /// Returns true if a private cache may store the response to a GET request that had the headers `sent`.
  ///
  /// Only complete images are stored: status 200. `private`, credentials and cookies do not matter to a private cache.
  static func mayBeStored(_ response: TransportResponse, sent: HTTPHeaders) -> Bool {
    guard response.status == 200 else { return false }
    return !CacheControl(response.headers).forbidsStoring && !CacheControl(sent).contains("no-store")
      && VaryingHeaders.names(in: response.headers) != VaryingHeaders.every
  }

  /// Creates a response to store; nil if the response may not be stored.
  ///
  /// - Parameters:
  ///   - sent: The headers of the request.
  ///   - requested: The time at which the request was sent, in seconds since 1970 by this machine's clock.
  ///   - received: The time at which the response arrived, in seconds since 1970 by this machine's clock.
  init?(
    storing response: TransportResponse, body: [UInt8], sent: HTTPHeaders, requested: Double, received: Double
  ) {
    guard Self.mayBeStored(response, sent: sent) else { return nil }
    self.init(
      response: TransportResponse(
        url: response.url.withoutLogin, status: response.status, headers: Self.endToEnd(response.headers),
        expectedLength: response.expectedLength),
      body: body, varying: Self.varying(response.headers, sent: sent), requested: requested,
      received: received)
  }

  /// Returns true if the headers of a request, and the credentials that the transport adds, match what the response
  /// varies with.
  func matches(_ sent: HTTPHeaders, credentials: CredentialDigests = .init()) -> Bool {
    let fields = Self.varying(response.headers, sent: sent, credentials: credentials)
    return (varyingKey?.digested(fields) ?? fields) == varying
  }

  /// Returns the headers of a request that `Vary` names: one field for each name that was sent, in lower case and
  /// sorted, with several values of a name joined.
  ///
  /// Headers that are always part of the identity (`VaryingHeaders.alwaysCounted`) are left out. Digests of the cookies
  /// and the credential that a transport adds are included.
  static func varying(
    _ received: HTTPHeaders, sent: HTTPHeaders, credentials: CredentialDigests = .init()
  ) -> [HTTPHeaders.Field] {
    let names = VaryingHeaders.names(in: received)
    guard !names.isEmpty else { return [] }
    let fields = names.subtracting(VaryingHeaders.alwaysCounted.map { $0.lowercased() }).sorted()
      .compactMap { name in
        let values = sent.fields.filter { HTTPHeaders.isSame($0.name, name) }.map(\.value)
        return values.isEmpty ? nil : HTTPHeaders.Field(name: name, value: values.joined(separator: ", "))
      }
    return fields + credentials.fields(named: names)
  }

  /// Returns the headers without connection headers (RFC 9111, 3.1), without headers that may hold secrets
  /// (`KeptHeaders`), and without user data that a server has sent.
  static func endToEnd(_ headers: HTTPHeaders) -> HTTPHeaders {
    let removedNames = headers.words(of: "Connection") + [HTTPHeaders.userDataName]
    return HTTPHeaders(
      headers.fields.filter { field in
        KeptHeaders.isKept(field.name) && !removedNames.contains { HTTPHeaders.isSame($0, field.name) }
      })
  }
}
