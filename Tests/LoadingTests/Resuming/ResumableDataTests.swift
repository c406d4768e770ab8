import FoundationEssentials
import Testing

@testable import VitrineLoading

/// Resumable data of broken downloads (RFC 9110, 13.1.5 and 14).
@Suite struct ResumableDataTests {
  private let bytes = [UInt8](repeating: 7, count: 5000)

  private func head(_ headers: HTTPHeaders, status: Int = 200, length: Int? = 10_000) -> TransportResponse {
    TransportResponse(url: url(), status: status, headers: headers, expectedLength: length)
  }

  private func resumable(_ headers: HTTPHeaders, status: Int = 200, length: Int? = 10_000) -> ResumableData? {
    ResumableData(bytes, of: head(headers, status: status), length: length, validator: nil)
  }

  @Test func resumableDataNeedsAStrongETagOrADate() {
    #expect(resumable(["ETag": "\"a\""])?.validator == "\"a\"")
    #expect(resumable(["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]) != nil)
    #expect(resumable([:]) == nil)
    #expect(resumable(["ETag": "W/\"a\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]) == nil)
    #expect(resumable(["ETag": "\"\""]) == nil)
  }

  @Test func responseWithALongValidatorIsNotResumable() {
    let longest = ResumableData.maximumValidatorBytes
    let tag = "\"" + String(repeating: "a", count: longest - 2) + "\""
    #expect(resumable(["ETag": tag])?.validator == tag)
    #expect(resumable(["ETag": "\"" + tag]) == nil)
    #expect(resumable(["Last-Modified": String(repeating: "1", count: longest + 1)]) == nil)
  }

  @Test func responseThatCannotContinueIsNotResumable() {
    #expect(resumable(["ETag": "\"a\"", "Accept-Ranges": "none"]) == nil)
    #expect(resumable(["ETag": "\"a\"", "Content-Encoding": "gzip"]) == nil)
    #expect(resumable(["ETag": "\"a\""], status: 404) == nil)
    #expect(resumable(["ETag": "\"a\""], length: 5000) == nil, "the body is complete")
    #expect(resumable(["ETag": "\"a\""], length: 4000) == nil, "the body is longer than stated")
    #expect(
      ResumableData([1], of: head(["ETag": "\"a\""]), length: 10, validator: nil) == nil, "too few bytes")
  }

  @Test func bodyBelowTheMinimumSizeIsNotResumable() {
    let response = head(["ETag": "\"a\""])
    func resumable(_ count: Int) -> ResumableData? {
      ResumableData([UInt8](repeating: 7, count: count), of: response, length: 10_000, validator: nil)
    }
    #expect(resumable(ResumableData.minimumBytes)?.count == ResumableData.minimumBytes)
    #expect(resumable(ResumableData.minimumBytes - 1) == nil)
  }

  @Test func remainderIsRequestedWithRangeAndIfRange() throws {
    let headers = try #require(resumable(["ETag": "\"a\""])).adding(to: ["Accept": "image/*"])
    #expect(headers["Range"] == "bytes=5000-")
    #expect(headers["If-Range"] == "\"a\"")
    #expect(headers["Accept"] == "image/*")
  }

  @Test(
    arguments: [
      (206, ["Content-Range": "bytes 5000-9999/10000", "ETag": "\"a\""], .rest),
      (206, ["Content-Range": "bytes 5000-9999/*"], .rest),
      (206, ["Content-Range": "bytes 5000-9999/10000", "ETag": "\"b\""], .unusable),
      (206, ["Content-Range": "bytes 4999-9999/10000"], .unusable),
      (206, ["Content-Range": "bytes 5000-9999/20000"], .unusable),
      (206, ["Content-Range": "pages 5000-9999/10000"], .unusable),
      (206, [:], .unusable),
      (416, ["Content-Range": "bytes */10000"], .unusable),
      (200, ["ETag": "\"b\""], .whole),
      (404, [:], .whole),
    ] as [(Int, HTTPHeaders, ResumableData.Continuation)])
  func statusAndRangeDecideTheContinuation(
    status: Int, headers: HTTPHeaders, expected: ResumableData.Continuation
  ) throws {
    let known = try #require(resumable(["ETag": "\"a\""]))
    #expect(known.continuation(by: head(headers, status: status)) == expected)
  }

  @Test func impossibleLengthOfTheRestIsLimited() throws {
    let known = try #require(resumable(["ETag": "\"a\""], length: nil))
    var assembler = ResponseAssembler(resuming: known)

    guard
      case .goOn = assembler.receive(
        head(["Content-Range": "bytes 5000-9999/*", "ETag": "\"a\""], status: 206, length: .max))
    else {
      Issue.record("the rest is refused")
      return
    }
    #expect(assembler.progress.expected == StatedNumber.largest)
    #expect(assembler.body == bytes)
  }

  @Test("A refused range discards the resumable data, a failing server does not", arguments: [416, 503])
  func refusedRangeDiscardsResumableData(status: Int) throws {
    let known = try #require(resumable(["ETag": "\"a\""]))
    var assembly = ResponseAssembler(resuming: known)
    _ = assembly.receive(head([:], status: status, length: nil))

    #expect(assembly.takeResumableData()?.bytes == (status == 416 ? nil : bytes))
  }

  @Test(arguments: [
    "bytes 1-0/2", "bytes 0-1/1", "bytes -1-2/3", "bytes 0-", "bytes", "", "bytes 0-1/a", "bytes a-1/2",
    "bytes 0-1/2/3", "bytes 9223372036854775808-9223372036854775809/*", "bytes 0-9223372036854775807/*",
    "bytes 0-2305843009213693952/*", "bytes 0-1/2305843009213693952", "bytes +0-1/2", "bytes 0-+1/2",
    "bytes 0-1/+2",
  ])
  func malformedContentRangesAreRejected(text: String) { #expect(ContentRange(text) == nil) }

  @Test func resumableDataIsLimitedAndTheOldestIsEvicted() throws {
    let body = try #require(resumable(["ETag": "\"a\""]))
    var bodies = ResumableDataStore(limit: 12_000)
    for name in ["a", "b", "c"] { bodies.keep(body, for: request(name).identity) }
    #expect(bodies.bytes == 10_000)
    #expect(
      [bodies.take(request("a").identity) == nil, bodies.take(request("b").identity) != nil] == [true, true])
    #expect(bodies.take(request("b").identity) == nil, "the data has been taken")
    #expect(bodies.bytes == 5000)
    for name in ["d", "e"] { bodies.keep(body, for: request(name).identity) }
    #expect(bodies.takeOldest(bytes: 0).isEmpty)
    #expect(bodies.takeOldest(bytes: 1).count == 1)
    #expect(bodies.take(request("d").identity) == nil, "the oldest data was released")
    #expect(bodies.takeOldest(bytes: .max).count == 1)
    #expect(bodies.bytes == 0)
    var none = ResumableDataStore(limit: 0)
    none.keep(body, for: request().identity)
    #expect(none.bytes == 0)
  }
}
