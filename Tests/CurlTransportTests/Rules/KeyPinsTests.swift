import FoundationEssentials
import Testing
import VitrineLoading

@testable import VitrineCurlTransport

@Suite("A pinned host is recognized in any form of its name, or not trusted")
struct KeyPinsTests {
  private static let pin = "sha256//" + String(repeating: "A", count: 43) + "="

  private func pins(
    of host: String, for url: String, host convert: ((String) -> String?)? = nil
  ) throws(ImageError) -> String? {
    let pins = convert.map { KeyPins([host: [Self.pin]], host: $0) } ?? KeyPins([host: [Self.pin]])
    guard let origin = URL(string: url).flatMap({ WebAddress($0) })?.origin else { throw .invalidURL(url) }
    return try pins.pins(for: origin)
  }

  @Test(arguments: [
    ("b\u{FC}cher.example", "https://xn--bcher-kva.example/"),
    ("xn--bcher-kva.example", "https://b%C3%BCcher.example/"),
    ("XN--BCHER-KVA.example.", "https://B%C3%9CCHER.EXAMPLE./"),
    ("B\u{DC}CHER.example", "https://b%C3%BCcher.example/"),
    // A combining diaeresis, and an ideographic full stop.
    ("bu\u{308}cher.example", "https://xn--bcher-kva.example/"),
    ("b\u{FC}cher\u{3002}example", "https://xn--bcher-kva.example/"),
    ("b%C3%BCcher.example", "https://xn--bcher-kva.example/"),
    ("https://b\u{FC}cher.example/a", "https://b%C3%BCcher.example/"),
    ("localhost", "https://%6Cocalhost/"),
  ])
  func hostIsRecognizedInEachFormOfItsName(host: String, url: String) throws {
    #expect(try pins(of: host, for: url) == Self.pin)
  }

  @Test(arguments: ["https://bucher.example/", "https://a.xn--bcher-kva.example/", "https://example/"])
  func otherNamesHaveNoPins(url: String) throws {
    #expect(try pins(of: "b\u{FC}cher.example", for: url) == nil)
  }

  @Test(arguments: ["https://xn--bcher-kva.example/", "https://a.XN--BCHER-kva/"])
  func unconvertiblePinnedNameRefusesEncodedHosts(url: String) throws {
    #expect(throws: ImageError.self) { try pins(of: "b\u{FC}cher.example", for: url, host: { _ in nil }) }
    #expect(try pins(of: "b\u{FC}cher.example", for: "https://plain.example/", host: { _ in nil }) == nil)
  }

  @Test func unconvertibleHostIsRefusedIfAnyHostIsPinned() throws {
    let origin = WebAddress.Origin(scheme: "https", host: "b\u{FC}cher.example", port: "443")

    #expect(throws: ImageError.self) { try KeyPins(["a.example": [Self.pin]]).pins(for: origin) }
    #expect(try KeyPins([:]).pins(for: origin) == nil)
  }

  @Test func unicodeHostIsRequestedInASCII() throws {
    let url = try #require(URL(string: "https://kiosk:s@b%C3%BCcher.example:8443/%C3%BC?a=b"))
    let address = try #require(WebAddress(url))

    #expect(address.text == "https://kiosk:s@xn--bcher-kva.example:8443/%C3%BC?a=b")
    #expect(address.origin == .init(scheme: "https", host: "xn--bcher-kva.example", port: "8443"))
    #expect(address.url == url)
  }
}
