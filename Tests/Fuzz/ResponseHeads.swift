import FoundationEssentials
import VitrineLoading

@testable import VitrineCurlTransport

/// Passes lines to a transfer as the head of a response, then a body in parts.
enum ResponseHeads {
  private static let settings = TransferSettings(.init(), environment: { _ in nil })
  private static let addresses = ["http://a.test/b/c?d", "https://k:s@a.test:8443/"].compactMap {
    URL(string: $0)
  }

  static func fuzz(_ bytes: [UInt8]) -> Bool {
    var input = FuzzedInput(bytes)
    let (limit, count) = (input.int(), input.int())
    let lines = input.lines
    for url in addresses {
      let request = TransportRequest(
        url: url, bodyLimit: limit, timeouts: .init(connect: 1, stall: input.double(), total: input.double()))
      guard let hop = try? Hop(request) else { preconditionFailure("an address") }
      var state = TransferState(request, hop: hop, settings: settings, startedAt: .now)
      _ = state.requestWillBeSent(at: .now)
      for line in lines {
        let action = line.withUnsafeBytes { state.receive(line: $0, at: .now) }
        if case .report(let response, body: _) = action { check(response) }
        if action == .abort { break }
      }
      var received = 0
      for part in [0, 1, count & 0xFFFF, count & Int.max] {
        let (sum, isTooMuch) = received.addingReportingOverflow(part)
        guard !isTooMuch else { break }
        received = sum
        guard state.receive(bytes: part, at: .now) != .abort else { break }
        precondition(state.room.bytesReceived <= max(0, limit), "within the limit")
      }
      _ = state.end(.init())
      _ = state.deadlines.next
    }
    return true
  }

  private static func check(_ response: TransportResponse) {
    precondition(response.status.map { 0...StatedNumber.largest ~= $0 } ?? true, "a status")
    precondition(response.expectedLength.map { 0...StatedNumber.largest ~= $0 } ?? true, "a bounded length")
    precondition(response.headers.fields.count <= ResponseHead.fieldLimit, "a bounded number of fields")
  }
}
