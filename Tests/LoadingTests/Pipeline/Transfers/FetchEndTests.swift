import Testing

@testable import VitrineLoading

/// The results of transfers.
struct FetchEndTests {
  @Test(
    "markup shows that a server responds only with the type of an image",
    arguments: [
      ("<svg/>", "image/svg+xml", true), ("<svg/>", "Image/SVG+XML; charset=utf-8", true),
      ("<svg/>", "text/xml", false), ("\u{FEFF}\n<!DOCTYPE html>", "text/html", false),
      ("<html>", nil, false), ("", "image/png", false), ("GIF89a", nil, true), ("GIF89a", "text/html", true),
    ] as [(String, String?, Bool)])
  func markupShowsThatAServerRespondsOnlyWithTheTypeOfAnImage(body: String, type: String?, isShown: Bool) {
    let headers: HTTPHeaders = type.map { ["Content-Type": $0] } ?? [:]
    let response = TransportResponse(url: url(), status: 200, headers: headers)

    let end = FetchEnd(.bytes(FetchedBytes(body: Array(body.utf8), response: response)), response: response)

    #expect(end.showsThatServerResponds == isShown)
  }

  private let head = TransportResponse(url: url(), status: 200)

  @Test func failedAttemptsAndEmptyBodiesHaveAnError() {
    #expect(FetchEnd(.bytes(FetchedBytes(body: [1], response: head))).failure == nil)
    #expect(FetchEnd(.bytes(FetchedBytes(body: [], response: head))).failure == .emptyBody)
    #expect(
      FetchEnd(.bytes(FetchedBytes(body: [], isBodyOnDisk: true, response: head))).failure == nil)
    #expect(FetchEnd(.failed(.status(404))).failure == .status(404))
    #expect(FetchEnd(.needsWhole).failure == nil)
    #expect(FetchEnd(.notModified(head, TransportMetrics())).failure == nil)
  }

  @Test func onlyReceivedBytesAreChanged() {
    var end = FetchEnd(.bytes(FetchedBytes(body: [1], response: head)))
    end.changeBytes { $0.body.append(2) }
    guard case .bytes(let bytes) = end.outcome else {
      Issue.record("no bytes")
      return
    }
    #expect(bytes.body == [1, 2])

    var failed = FetchEnd(.failed(.emptyBody))
    failed.changeBytes { _ in Issue.record("there are no bytes") }
    #expect(failed.failure == .emptyBody)
  }
}
