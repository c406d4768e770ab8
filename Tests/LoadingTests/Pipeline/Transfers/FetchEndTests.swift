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
}
