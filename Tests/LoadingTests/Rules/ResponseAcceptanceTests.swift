import FoundationEssentials
import Testing

@testable import VitrineLoading

/// Which heads are accepted, before a byte is looked at.
@Suite struct ResponseAcceptanceTests {
  private func refusal(
    _ status: Int? = 200, type: String? = nil, length: Int? = nil, _ acceptance: ResponseAcceptance = .init()
  ) -> ImageError? {
    var headers = HTTPHeaders()
    headers["Content-Type"] = type
    return acceptance.refusal(
      of: TransportResponse(url: url(), status: status, headers: headers, expectedLength: length))
  }

  private let images = ResponseAcceptance(contentTypes: ["image/jpeg", "image/png"])

  @Test("AF-S14 every 2xx is accepted") func every2xx() {
    for status in 200...299 { #expect(refusal(status) == nil) }
  }

  @Test("AF-S17 every 4xx and 5xx is refused, as its status") func every4xxAnd5xx() {
    for status in 400...599 { #expect(refusal(status) == .status(status)) }
  }

  @Test("AF-S15 205 without type and body is accepted") func emptyWithoutAType() {
    #expect(refusal(205, length: 0, images) == nil)
    #expect(refusal(205, images) == nil)
    #expect(refusal(204, images) == nil)
  }

  @Test("AF-S16 205 with a body and without a type is refused") func bodyWithoutAType() {
    #expect(refusal(205, length: 10, images) == .contentType(""))
    #expect(refusal(200, images) == .contentType(""))
  }

  @Test("AF-S18 another media type is refused, whatever its case and parameters") func otherTypes() {
    #expect(refusal(type: "text/html; charset=utf-8", images) == .contentType("text/html"))
    #expect(refusal(type: "IMAGE/JPEG ;q=1", images) == nil)
    #expect(refusal(type: "", length: 5, images) == .contentType(""))
    #expect(refusal(type: ";", length: 5, images) == .contentType(""))
  }

  @Test("AF-S26 WebP is refused by a list without it, and accepted by one with it") func webP() {
    #expect(refusal(type: "image/webp", images) == .contentType("image/webp"))
    var more = images
    more.contentTypes?.insert("image/webp")
    #expect(refusal(type: "image/webp", more) == nil)
    #expect(refusal(type: "image/webp", ResponseAcceptance(contentTypes: ["image/*"])) == nil)
    #expect(
      refusal(type: "text/html", ResponseAcceptance(contentTypes: ["image/*"])) == .contentType("text/html"))
  }

  @Test("AF-S1 a copy keeps statuses and types, and changes by itself") func copies() {
    var copy = images
    #expect(copy == images)
    copy.statuses = [200...200]
    #expect(images.statuses == [200...299])
  }

  @Test(
    "AF-S3 AF-S4 it may be written down and read again",
    arguments: [
      ResponseAcceptance(), ResponseAcceptance(statuses: [1...1, 200...204], contentTypes: ["image/webp"]),
    ])
  func coding(acceptance: ResponseAcceptance) throws {
    let data = try JSONEncoder().encode(acceptance)
    #expect(try JSONDecoder().decode(ResponseAcceptance.self, from: data) == acceptance)
  }

  @Test func whatIsNotHTTPIsNotAsked() { #expect(refusal(nil, images) == nil) }
}
