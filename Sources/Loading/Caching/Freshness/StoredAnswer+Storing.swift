/// What of an answer may be kept, and for whom (RFC 9111, 3 and 4.1).
extension StoredAnswer {
  /// Whether an answer to a GET with these headers may be kept by a cache that is one user's alone.
  ///
  /// Whole pictures only: status 200. `private`, credentials and cookies do not matter to such a cache.
  static func mayBeKept(_ response: TransportResponse, sent: HTTPHeaders) -> Bool {
    guard response.status == 200 else { return false }
    let control = CacheControl(response.headers)
    // `must-understand` says that `no-store` is for those who do not know the status (RFC 9111, 5.2.2.3).
    if control.contains("no-store"), !control.contains("must-understand") { return false }
    return !CacheControl(sent).contains("no-store")
      && VaryingHeaders.names(in: response.headers) != VaryingHeaders.every
  }

  /// An answer to keep; nil if it may not be kept.
  ///
  /// - Parameter sent: the headers of the request.
  init?(
    keeping response: TransportResponse, body: [UInt8], sent: HTTPHeaders, requested: Double,
    received: Double
  ) {
    guard Self.mayBeKept(response, sent: sent) else { return nil }
    self.init(
      response: TransportResponse(
        url: response.url.withoutLogin, status: response.status, headers: Self.endToEnd(response.headers),
        expectedLength: response.expectedLength),
      body: body, varying: Self.varying(response.headers, sent: sent), requested: requested,
      received: received)
  }

  /// Returns true if the headers of a request, and the credentials that its transport adds, match what the response
  /// varies with.
  func isFor(_ sent: HTTPHeaders, credentials: CredentialDigests = .init()) -> Bool {
    let own = Self.varying(response.headers, sent: sent, credentials: credentials)
    return (varyingSecret?.digested(own) ?? own) == varying
  }

  /// The headers of a request that `Vary` names: a field a name, in lower case and in order, several values of a name
  /// joined; none for a name that was not sent.
  ///
  /// Headers that are always part of the identity (`RequestIdentity.headerNames`) are left out. Digests of the cookies
  /// and the credential that a transport adds are included.
  static func varying(
    _ received: HTTPHeaders, sent: HTTPHeaders, credentials: CredentialDigests = .init()
  ) -> [HTTPHeaders.Field] {
    let names = VaryingHeaders.names(in: received)
    let own = names.subtracting(RequestIdentity.headerNames.map { $0.lowercased() }).sorted()
      .compactMap { name in
        let values = sent.fields.filter { HTTPHeaders.isSame($0.name, name) }.map(\.value)
        return values.isEmpty ? nil : HTTPHeaders.Field(name: name, value: values.joined(separator: ", "))
      }
    return own + credentials.fields(named: names)
  }

  /// The headers without connection headers (RFC 9111, 3.1) and without headers that may hold secrets (`KeptHeaders`).
  static func endToEnd(_ headers: HTTPHeaders) -> HTTPHeaders {
    let dropped = connectionHeaders(headers).union([HTTPHeaders.userDataName.lowercased()])
    return HTTPHeaders(KeptHeaders.of(headers).filter { !dropped.contains($0.name.lowercased()) })
  }

  /// The names in `Connection`, in lower case.
  private static func connectionHeaders(_ headers: HTTPHeaders) -> Set<String> {
    Set(
      headers.fields.lazy.filter { HTTPHeaders.isSame($0.name, "Connection") }
        .flatMap { $0.value.split { ", \t".contains($0) } }.map { $0.lowercased() })
  }
}
