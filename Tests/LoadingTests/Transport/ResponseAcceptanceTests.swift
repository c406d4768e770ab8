import FoundationEssentials
import Testing

@testable import VitrineLoading

/// The acceptance of responses by status and content type, before their bodies are read.
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

  @Test("AF-S14 every status 2xx is accepted") func everyStatus2xxIsAccepted() {
    for status in 200...299 { #expect(refusal(status) == nil) }
  }

  @Test("AF-S17 every status 4xx and 5xx is refused with an error that has the status")
  func everyStatus4xxAnd5xxIsRefused() {
    for status in 400...599 { #expect(refusal(status) == .status(status)) }
  }

  @Test("AF-S15 status 205 without a content type and a body is accepted")
  func emptyResponseWithoutATypeIsAccepted() {
    #expect(refusal(205, length: 0, images) == nil)
    #expect(refusal(205, images) == nil)
    #expect(refusal(204, images) == nil)
  }

  @Test("AF-S16 status 205 with a body and without a content type is refused")
  func bodyWithoutATypeIsRefused() {
    #expect(refusal(205, length: 10, images) == .contentType(""))
    #expect(refusal(200, images) == .contentType(""))
  }

  @Test("AF-S18 a media type that is not listed is refused; case and parameters are ignored")
  func unlistedMediaTypeIsRefused() {
    #expect(refusal(type: "text/html; charset=utf-8", images) == .contentType("text/html"))
    #expect(refusal(type: "IMAGE/JPEG ;q=1", images) == nil)
    #expect(refusal(type: "", length: 5, images) == .contentType(""))
    #expect(refusal(type: ";", length: 5, images) == .contentType(""))
  }

  @Test("AF-S26 WebP is refused by a list without WebP, and accepted by a list with WebP")
  func webPIsAcceptedIfListed() {
    #expect(refusal(type: "image/webp", images) == .contentType("image/webp"))
    var more = images
    more.contentTypes?.insert("image/webp")
    #expect(refusal(type: "image/webp", more) == nil)
    #expect(refusal(type: "image/webp", ResponseAcceptance(contentTypes: ["image/*"])) == nil)
    #expect(
      refusal(type: "text/html", ResponseAcceptance(contentTypes: ["image/*"])) == .contentType("text/html"))
  }

  @Test("AF-S1 a copy keeps statuses and types, and changes independently") func copyChangesIndependently() {
    var copy = images
    #expect(copy == images)
    copy.statuses = [200...200]
    #expect(images.statuses == [200...299])
  }

  @Test(
    "AF-S3 AF-S4 an acceptance can be encoded and decoded",
    arguments: [
      ResponseAcceptance(), ResponseAcceptance(statuses: [1...1, 200...204], contentTypes: ["image/webp"]),
    ])
  func acceptanceCanBeEncodedAndDecoded(acceptance: ResponseAcceptance) throws {
    let data = try JSONEncoder().encode(acceptance)
    #expect(try JSONDecoder().decode(ResponseAcceptance.self, from: data) == acceptance)
  }

  @Test func responseWithoutAStatusIsAccepted() { #expect(refusal(nil, images) == nil) }
}
