import VitrineLoading

/// The requests that need the same options of an easy handle, apart from the URL and the receiver.
struct RequestFamily {
  private let origin: WebAddress.Origin
  private let headers: [HTTPHeaders.Field]
  private let connectLimit: Double
  private let needsFreshConnection: Bool

  /// Returns `nil` for a request whose options must not be kept: libcurl remembers logins, challenges and the host of
  /// cookies from one transfer to the next, and a handle that has spoken to a proxy keeps the state of that.
  init?(_ hop: Hop, connectLimit: Double, _ settings: TransferSettings) {
    guard Self.mayKeepOptions(of: hop, settings) else { return nil }
    origin = hop.address.origin
    headers = hop.headers.fields
    self.connectLimit = connectLimit
    needsFreshConnection = hop.needsFreshConnection
  }

  /// Returns true if a request belongs to the family. Faster than the creation of another family.
  func contains(_ hop: Hop, connectLimit: Double, _ settings: TransferSettings) -> Bool {
    hop.address.origin == origin && connectLimit == self.connectLimit
      && hop.needsFreshConnection == needsFreshConnection
      && hop.headers.fields.elementsEqual(headers) { $0.name == $1.name && $0.value == $1.value }
      && Self.mayKeepOptions(of: hop, settings)
  }

  private static func mayKeepOptions(of hop: Hop, _ settings: TransferSettings) -> Bool {
    // A plain URL has no login.
    !settings.addsCredentials && settings.proxies.proxy(for: hop.address.origin) == nil
      && (hop.address.target != nil || !mayHaveLogin(hop.address.text))
  }

  private static func mayHaveLogin(_ url: String) -> Bool {
    let at = UInt8(ascii: "@")
    // Contiguous bytes, which native strings have, are read several times faster.
    return url.utf8.withContiguousStorageIfAvailable { $0.contains(at) } ?? url.utf8.contains(at)
  }
}
