import FoundationEssentials
import Testing
import VitrineTesting

@testable import VitrineLoading

/// The choice of a transport and a queue lane for a URL.
@Suite struct TransportRouterTests {
  private func lane(_ text: String) throws -> DownloadQueue.Lane {
    DownloadQueue.Lane(try #require(URL(string: text)))
  }

  @Test func firstTransportOfASchemeIsUsed() throws {
    let first = FakeTransport(schemes: ["http"])
    let second = FakeTransport(schemes: ["http", "ftp"])
    let router = TransportRouter([first, second])

    #expect(try router.transport(for: url()) as? FakeTransport === first)
    let ftp = try #require(URL(string: "FTP://a.test/a.jpg"))
    #expect(try router.transport(for: ftp) as? FakeTransport === second)
    let other = try #require(URL(string: "gopher://a.test/"))
    #expect(throws: ImageError.unsupportedScheme("gopher")) { try router.transport(for: other) }
  }

  @Test func laneDependsOnSchemeHostAndPort() throws {
    #expect(try lane("http://a.test:1/a") != lane("http://a.test:2/a"))
    #expect(try lane("http://a.test/a") != lane("https://a.test/a"))
    #expect(try lane("http://a.test/a") == lane("http://A.TEST/b?c"))
    #expect(try lane("http://a.test/a") != lane("http://b.test/a"))
  }

  @Test(arguments: ["file:///a.jpg", "FILE:///a.jpg"])
  func filesHaveALaneOfTheirOwn(text: String) throws {
    #expect(try lane(text) == .local)
  }

  @Test(arguments: ["data:,a", "Data:,a"])
  func dataURLsHaveALaneOfTheirOwn(text: String) throws {
    #expect(try lane(text) == .data)
  }
}
