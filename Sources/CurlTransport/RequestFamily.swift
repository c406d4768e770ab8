import VitrineLoading

/// The requests that need the same options of an easy handle, apart from the URL and the receiver.
struct RequestFamily: Equatable {
  private let origin: WebAddress.Origin
  private let headers: [HTTPHeaders.Field]
  private let connectLimit: Double
  private let needsFreshConnection: Bool

  /// Returns `nil` for a request whose options must not be kept: libcurl remembers logins, challenges and the host of
  /// cookies from one transfer to the next, and a handle that has spoken to a proxy keeps the state of that.
  init?(_ hop: Hop, connectLimit: Double, _ settings: TransferSettings) {
    // A plain URL has no login.
    guard !settings.addsCredentials, settings.proxies.proxy(for: hop.address.origin) == nil,
      hop.address.target != nil || !Self.mayHaveLogin(hop.address.text)
    else { return nil }
    origin = hop.address.origin
    headers = hop.headers.fields
    self.connectLimit = connectLimit
    needsFreshConnection = hop.needsFreshConnection
  }

  private static func mayHaveLogin(_ url: String) -> Bool {
    let at = UInt8(ascii: "@")
    // Contiguous bytes, which native strings have, are read several times faster.
    return url.utf8.withContiguousStorageIfAvailable { $0.contains(at) } ?? url.utf8.contains(at)
  }

  static func == (one: Self, other: Self) -> Bool {
    one.origin == other.origin && one.connectLimit == other.connectLimit
      && one.needsFreshConnection == other.needsFreshConnection
      && one.headers.elementsEqual(other.headers) { $0.name == $1.name && $0.value == $1.value }
  }
}
