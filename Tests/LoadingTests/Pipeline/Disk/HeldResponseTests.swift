import Testing

@testable import VitrineLoading

/// Responses that wait to be written.
struct HeldResponseTests {
  private func response(bytes count: Int) -> StoredResponse {
    StoredResponse(
      response: TransportResponse(url: url("a.jpg"), status: 200, headers: ["ETag": "x"]),
      body: .pattern(count), requested: 1, received: 2)
  }

  @Test(
    "the response comes back as it was, whether its body was copied into memory of its own or not",
    arguments: [
      0, 1, HeldResponse.smallestMovedBody - 1, HeldResponse.smallestMovedBody,
      HeldResponse.smallestMovedBody + 1, 300_000, HeldResponse.largestMovedBody,
      HeldResponse.largestMovedBody + 1,
    ]) func roundTrip(count: Int)
  {
    let response = response(bytes: count)
    let copies = [
      HeldResponse(moving: response, descriptorLimit: .max),
      HeldResponse(moving: response, descriptorLimit: 0),
      HeldResponse(response),
    ]
    for held in copies {
      #expect(held.bodyLength == count)
      #expect(held.response == response)
      #expect(held.response == response, "the second time")
    }
  }

  @Test func bodyIsHeldInASocketThatHoldsIt() throws {
    let held = HeldResponse(
      moving: response(bytes: HeldResponse.smallestMovedBody), descriptorLimit: .max)
    guard case .socket(let buffer) = held.body else { return #expect(Bool(false), "not in a socket") }
    try #require(buffer.takeByte())
    #expect(held.response == nil)
  }

  @Test func bodyIsHeldInPagesIfThereIsNoSocketForIt() {
    let response = response(bytes: HeldResponse.smallestMovedBody)
    let held = HeldResponse(moving: response, descriptorLimit: 0)
    if case .pages = held.body {} else { #expect(Bool(false), "not in pages") }
    #expect(held.isMoved && held.response == response)
  }

  @Test func pagesAreIndependentOfTheOriginal() throws {
    var bytes = [UInt8](repeating: 7, count: 5000)
    let pages = try #require(HeldPages(copying: bytes))
    bytes[0] = 8
    #expect(pages.bytes == [UInt8](repeating: 7, count: 5000))
    #expect(HeldPages(copying: []) == nil)
  }
}
