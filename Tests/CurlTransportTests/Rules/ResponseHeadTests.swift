import Testing
import VitrineLoading

@testable import VitrineCurlTransport

@Suite("The head of a response is parsed from its lines")
struct ResponseHeadTests {
  @Test func statusAndFieldsAreParsed() {
    var head = ResponseHead()

    let progress = head.append(["HTTP/1.1 404 Not Found", "ETag: \"a\"", "X:\t b  ", "X: c", ""])

    #expect(progress == .finished)
    #expect(head.status == 404)
    #expect(head.headers.fields.map(\.name) == ["ETag", "X", "X"])
    #expect(head.headers.fields.map(\.value) == ["\"a\"", "b", "c"])
  }

  @Test func http2StatusLineNeedsNoReasonPhrase() {
    var head = ResponseHead()

    head.append(["HTTP/2 204 ", ""])

    #expect(head.status == 204)
  }

  @Test func interimResponsesAreIgnored() {
    var head = ResponseHead()

    let hints = head.append(["HTTP/1.1 103 Early Hints", "Link: </a>", ""])
    let response = head.append(["HTTP/1.1 200 OK", "A: 1", ""])

    #expect(hints == .unfinished)
    #expect(response == .finished)
    #expect(head.status == 200)
    #expect(head.headers == ["A": "1"])
  }

  @Test func trailersAreIgnored() {
    var head = ResponseHead()

    head.append(["HTTP/1.1 200 OK", ""])
    let progress = head.append(["Content-Length: 5", "HTTP/1.1 500 No", ""])

    #expect(progress == .finished)
    #expect(head.status == 200)
    #expect(head.headers.isEmpty)
  }

  @Test func continuationLinesAreUnfolded() {
    var head = ResponseHead()

    head.append(["HTTP/1.1 200 OK", "A: 1", "  2", "\t3", ""])

    #expect(head.headers == ["A": "1 2 3"])
  }

  @Test func textThatIsNotUTF8IsReadAsLatin1() {
    var head = ResponseHead()

    head.append(["HTTP/1.1 200 OK"])
    head.append(bytes: Array("A: ".utf8) + [0xE9, 0x0D, 0x0A])

    #expect(head.headers == ["A": "é"])
  }

  @Test(arguments: [
    (["Content-Length: 12"], 12), (["content-length: 0"], 0), (["Content-Length: -1"], nil),
    (["Content-Length: 12abc"], nil), (["Content-Length: 99999999999999999999"], StatedNumber.largest),
    (["Content-Length:"], nil),
    (["Content-Length: 12", "Transfer-Encoding: chunked"], nil), ([], nil),
  ])
  func contentLengthIsUsedOnlyIfItIsANumber(fields: [String], expected: Int?) {
    var head = ResponseHead()

    head.append(["HTTP/1.1 200 OK"] + fields + [""])

    #expect(head.contentLength == expected)
  }

  @Test func headWithTooManyFieldsIsTooLarge() {
    var head = ResponseHead()

    let allowed = head.append(["HTTP/1.1 200 OK"] + (1...256).map { "A\($0): 1" })
    let oneMore = head.append(["B: 1"])

    #expect(allowed == .unfinished)
    #expect(oneMore == .tooLarge)
  }

  @Test func headMayFillItsByteLimitButNotExceedIt() {
    var head = ResponseHead()
    head.append(["HTTP/1.1 200 OK"])

    let remaining = ResponseHead.byteLimit - head.bytes
    let filled = head.append(["A: " + String(repeating: "x", count: remaining - 5)])
    #expect(head.bytes == ResponseHead.byteLimit)
    #expect(filled == .unfinished)
    #expect(head.append(bytes: [0x0A]) == .tooLarge)
  }

  @Test func byteLimitSpansInterimResponses() {
    var head = ResponseHead()
    let hints = ["HTTP/1.1 103 Early Hints", "Link: " + String(repeating: "x", count: 4000), ""]

    let progress = (1...17).map { _ in head.append(hints) }

    #expect(progress.prefix(16).allSatisfy { $0 == .unfinished })
    #expect(progress.last == .tooLarge)
  }
}

extension ResponseHead {
  /// Appends the lines with line ends, and returns the progress after the last line.
  @discardableResult
  mutating func append(_ lines: [String]) -> Progress {
    lines.map { append(bytes: Array("\($0)\r\n".utf8)) }.last ?? .unfinished
  }

  @discardableResult
  mutating func append(bytes: [UInt8]) -> Progress {
    bytes.withUnsafeBytes { append(line: $0) }
  }
}
