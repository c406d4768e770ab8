import FoundationEssentials
import Testing
import VitrineTesting

@testable import VitrineLoading

/// The transports of a downloader.
struct TransportTableTests {
  @Test func replacedTransportsAreUsedFromThenOn() throws {
    let first = FakeTransport(schemes: ["http"])
    let second = FakeTransport(schemes: ["http"])
    let table = TransportTable([first])
    #expect(try table.transport(for: url()) as? FakeTransport === first)

    table.all = [second]
    #expect(try table.transport(for: url()) as? FakeTransport === second)
    #expect(!table.addsCredentials)

    table.all = []
    #expect(throws: ImageError.unsupportedScheme("http")) { try table.transport(for: url()) }
  }
}
