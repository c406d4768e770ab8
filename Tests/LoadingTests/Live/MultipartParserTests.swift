import Testing

@testable import VitrineLoading

@Suite(.timeLimit(.minutes(5)))
struct MultipartParserTests {
  private let frames = [
    fakeJPEG(700, seed: 1), fakeJPEG(31, seed: 2), fakeJPEG(1900, seed: 3), bytes("text"),
  ]

  private static let forms: [MultipartText] = [
    .init(), .init(lineEnd: "\n"), .init(statesLengths: false), .init(hasHeaders: false),
    .init(closes: false),
    .init(endsWithLineEnd: false), .init(lineEnd: "\n", statesLengths: false, closes: false),
    .init(delimiter: "frame"), .init(delimiter: "----frame"), .init(delimiter: "--other"),
  ]

  @Test(arguments: 0..<10)
  func piecesOfAnySizeGiveTheSameParts(form: Int) {
    let form = Self.forms[form]
    let body = bytes("a preamble\r\n--\r\n\r\n") + form.body(frames)
    // Without a line end before its delimiter, the last frame ends at its stated length.
    for size in [1, 2, 3, 7, 64, 1000, Int.max] {
      let result = parse(body, inPiecesOf: size)

      #expect(result.error == nil)
      #expect(result.parts.map(\.body) == frames, "pieces of \(size)")
      #expect(result.parts.allSatisfy { ($0.headers["content-type"] == "image/jpeg") == form.hasHeaders })
    }
  }

  @Test(arguments: ["frame", "--frame", "-frame", "------frame"])
  func boundaryMayBeDeclaredWithHyphens(boundary: String) {
    #expect(parse(MultipartText().body(frames), boundary: boundary).parts.map(\.body) == frames)
  }

  @Test func undeclaredDelimiterIsUsedIfAHeaderFollows() {
    let body = MultipartText(delimiter: "--myboundary").body(frames)

    #expect(parse(body, boundary: nil).parts.map(\.body) == frames)
    #expect(parse(body, boundary: "other", inPiecesOf: 1).parts.map(\.body) == frames)
    #expect(parse(body, boundary: "--").parts.map(\.body) == frames)
  }

  @Test func delimiterMustEqualTheFirstOne() {
    let body = bytes(
      "--frame\r\n\r\none\r\n---frame\r\n--framework\r\nframe\r\n--frame \t\r\n\r\ntwo\r\n--frame--")

    let result = parse(body)

    #expect(
      result.parts.map(\.body)
        == [bytes("one\r\n---frame\r\n--framework\r\nframe"), bytes("two")])
  }

  @Test func streamWithoutADelimiterFails() {
    let bytes = Array(repeating: UInt8(ascii: "-"), count: 100_000)

    for size in [1000, .max] {
      #expect(parse(bytes, inPiecesOf: size).error == .noBoundary(limit: MultipartParser.preambleLimit))
    }
  }

  @Test func rawFramesWithoutDelimitersFail() {
    let result = parse((0..<100).flatMap { fakeJPEG(1000, seed: $0) })

    #expect(result.parts.isEmpty)
    #expect(result.error == .noBoundary(limit: MultipartParser.preambleLimit))
  }

  @Test func endlessHeadersFail() {
    let line = bytes("X-Filler: 0123456789\r\n")
    let body = bytes("--frame\r\n") + (0..<2000).flatMap { _ in line }
    let longLine = bytes("--frame\r\nX-Filler: ") + Array(repeating: UInt8(ascii: "a"), count: 100_000)
    let repeated = (0..<5000).flatMap { _ in bytes("--frame\r\n") }

    for body in [body, longLine, repeated] {
      for size in [1, 1000, .max] {
        let result = parse(body, inPiecesOf: size)
        #expect(result.error == .headersTooLarge(limit: MultipartParser.headerLimit))
        #expect(result.parts.isEmpty)
      }
    }
  }

  @Test func endlessEmptyPartsFail() {
    let limit = MultipartParser.emptyPartLimit
    for empty in ["--frame\r\n\r\n", "--frame\n\n", "--frame\r\nContent-Length: 0\r\n\r\n\r\n"] {
      let body = (0...limit).flatMap { _ in bytes(empty) } + bytes("--frame\r\n")
      for size in [1, 7, .max] {
        let result = parse(body, inPiecesOf: size)
        #expect(result.error == .emptyParts(limit: limit) && result.parts.isEmpty, "\(empty) \(size)")
      }
    }
  }

  @Test func bodyBetweenEmptyPartsStartsTheCountAgain() {
    let empty = (0..<MultipartParser.emptyPartLimit).flatMap { _ in bytes("--frame\r\n\r\n") }
    let body = empty + bytes("--frame\r\n\r\none\r\n") + empty + bytes("--frame\r\n\r\ntwo\r\n--frame--\r\n")
    for size in [1, 7, .max] {
      let result = parse(body, inPiecesOf: size)
      #expect(result.error == nil && result.parts.map(\.body) == [bytes("one"), bytes("two")])
    }
  }

  @Test func headersUpToTheLimitAreRead() {
    let value = String(repeating: "a", count: MultipartParser.headerLimit - "X: \r\n\r\n".utf8.count)
    let body = bytes("--frame\r\nX: \(value)\r\n\r\nb\r\n--frame--\r\n")

    let result = parse(body)

    #expect(result.error == nil)
    #expect(result.parts.first?.headers["X"] == value)
  }

  @Test(arguments: [true, false])
  func partBeyondTheLimitFails(statesLength: Bool) {
    let form = MultipartText(statesLengths: statesLength)

    for size in [1, 3, .max] {
      let fitting = parse(form.body([fakeJPEG(500)]), inPiecesOf: size, limit: 500)
      let tooLarge = parse(form.body([fakeJPEG(10), fakeJPEG(501)]), inPiecesOf: size, limit: 500)

      #expect(fitting.parts.map(\.body) == [fakeJPEG(500)])
      #expect(tooLarge.error == .partTooLarge(limit: 500))
      #expect(tooLarge.parts.map(\.body) == [fakeJPEG(10)])
    }
  }

  @Test func errorIsRepeated() {
    var parser = MultipartParser(boundary: "frame", partLimit: 4)

    for _ in 0..<2 {
      #expect(throws: MultipartError.partTooLarge(limit: 4)) {
        try feed(&parser, bytes("--frame\n\n0123456789")) { _ in }
      }
    }
    let last = parser.finish()
    #expect(last == nil)
    #expect(parser.memoryUsed == 0)
  }

  @Test func emptyPartsAndRepeatedDelimitersAreSkipped() {
    let body = bytes(
      "--frame\r\n--frame\r\n\r\n--frame\r\nA: 1\r\n\r\n\r\n--frame\r\nB: 2\r\n\r\nbody\r\n--frame--\r\n")

    let result = parse(body, inPiecesOf: 1)

    #expect(result.parts == [MultipartPart(headers: ["B": "2"], body: bytes("body"))])
  }

  @Test func bodyMayFollowTheHeadersWithoutAnEmptyLine() {
    let body =
      bytes("--frame\r\n") + fakeJPEG(40) + bytes("\r\n--frame\r\nContent-Type: image/jpeg\r\n")
      + fakeJPEG(50)
      + bytes("\r\n--frame--")

    for size in [1, .max] {
      let result = parse(body, inPiecesOf: size)
      #expect(result.parts.map(\.body) == [fakeJPEG(40), fakeJPEG(50)])
      #expect(result.parts.map { $0.headers["Content-Type"] } == [nil, "image/jpeg"])
    }
  }

  @Test func partsMayFollowTheClosingDelimiter() {
    let body = MultipartText().body([frames[0]]) + bytes("epilogue\r\n") + MultipartText().body([frames[1]])

    #expect(parse(body).parts.map(\.body) == [frames[0], frames[1]])
  }

  @Test func malformedHeaderLinesAreIgnored() {
    let body = bytes("--frame\r\nno colon\r\n folded: 1\r\n: empty\r\nA : b \t\r\n\r\nbody\r\n--frame--")

    let headers = parse(body).parts.first?.headers

    #expect(headers?["A"] == "b")
    #expect(headers?["folded"] == nil)
  }

  @Test func partIsDiscardedWithoutItsBytes() throws {
    var parser = MultipartParser(boundary: "frame", partLimit: 1 << 20)
    var parts: [MultipartPart] = []
    try feed(&parser, bytes("--frame\r\n\r\n0123456789")) { parts.append($0) }
    #expect(parser.memoryUsed == 10)
    #expect(parser.memoryNeeded(for: 5) >= 15)

    let isDiscarded = [parser.discardPart(), parser.discardPart()]
    #expect(isDiscarded == [true, false])
    try feed(&parser, Array(repeating: 7, count: 100_000)) { parts.append($0) }
    #expect(parser.memoryUsed == 0)
    try feed(&parser, bytes("\r\n--frame\r\n\r\nnext\r\n--frame--\r\n")) { parts.append($0) }

    #expect(parts.map(\.body) == [bytes("next")])
  }
}
