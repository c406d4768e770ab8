import CCurl
import FoundationEssentials
import Testing
import VitrineLoading

@testable import VitrineCurlTransport

@Suite("The transfers of a loop")
struct RunningTransfersTests {
  private func transfer(_ number: UInt64) throws -> Transfer {
    let request = TransportRequest(url: try #require(URL(string: "http://a.example/\(number)")))
    let easy = try #require(EasyHandle(sharing: ShareHandle([CURL_LOCK_DATA_SSL_SESSION])))
    return Transfer(
      TransferID(number: number),
      TransferArguments(request: request, receiver: Recorder(), startedAt: .now), hop: try Hop(request),
      on: easy, watch: DeadlineWatch(), settings: TransferSettings(), requestResume: {})
  }

  @Test("are found by identifier and by easy handle", arguments: 0..<3)
  func removal(removed: Int) throws {
    let transfers = try (1...3).map { try transfer($0) }
    var running = RunningTransfers()
    for transfer in transfers { running.insert(transfer) }
    #expect(running.all.count == 3)

    #expect(running.remove(transfers[removed].id) === transfers[removed])

    for (index, transfer) in transfers.enumerated() {
      let expected = index == removed ? nil : transfer
      #expect(running[transfer.id] === expected)
      #expect(running.transfer(on: transfer.easy.pointer) === expected)
    }
    #expect(running.remove(transfers[removed].id) == nil, "removed once")
    let others = transfers.map(\.id.number).filter { $0 != transfers[removed].id.number }
    #expect(running.all.map(\.id.number).sorted() == others)
  }

  @Test func areEmptyAfterTheLastIsRemoved() throws {
    var running = RunningTransfers()
    #expect(running.isEmpty)
    let transfer = try transfer(1)

    running.insert(transfer)
    #expect(!running.isEmpty)

    _ = running.remove(transfer.id)
    #expect(running.isEmpty && running.all.isEmpty)
  }
}
