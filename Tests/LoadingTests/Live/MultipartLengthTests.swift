import Testing
import VitrineTesting

@testable import VitrineLoading

/// Parts whose `Content-Length` is right, wrong or missing.
@Suite(.timeLimit(.minutes(5)))
struct MultipartLengthTests {
  private func part(_ body: [UInt8], stated: Int, end: String = "\r\n") -> [UInt8] {
    bytes("--frame\r\nContent-Length: \(stated)\r\n\r\n") + body + bytes(end)
  }

  @Test func jpegOfTheStatedLengthIsDeliveredBeforeTheNextDelimiter() {
    let frame = fakeJPEG(100)

    for size in [1, .max] {
      #expect(
        parse(part(frame, stated: 100, end: ""), inPiecesOf: size, ends: false).parts.map(\.body) == [frame])
    }
  }

  @Test func otherPartsAreDeliveredEarlyOnceALengthWasRight() {
    let texts = ["one", "three", "seven"].map { bytes($0) }
    let body = texts.flatMap { part($0, stated: $0.count) }

    #expect(parse(part(texts[0], stated: 3), ends: false).parts.isEmpty)
    #expect(parse(body, ends: false).parts.map(\.body) == texts)
  }

  @Test(arguments: [-3, -1, 1, 3, 1000, 1 << 40, Int.max])
  func wrongLengthIsCorrectedByTheDelimiter(difference: Int) {
    let texts = ["one of them", "three of them", "seven of them"].map { bytes($0) }
    let body =
      texts.flatMap { part($0, stated: $0.count.addingSaturated(difference)) } + bytes("--frame--\r\n")

    for size in [1, 4, .max] {
      #expect(parse(body, inPiecesOf: size).parts.map(\.body) == texts)
    }
  }

  @Test func lengthThatTurnsWrongIsNotTrustedAgain() {
    let texts = ["right", "wrong", "right again"].map { bytes($0) }
    let body =
      part(texts[0], stated: 5) + part(texts[1] + bytes(" and longer"), stated: 5)
      + part(texts[2], stated: 11)

    #expect(parse(body, ends: false).parts.map(\.body) == [texts[0], texts[1]])
    #expect(parse(body).parts.map(\.body) == texts)
  }

  @Test func lengthMayIncludeTheLineEnd() {
    let frames = [fakeJPEG(50), fakeJPEG(60)]
    let body = frames.flatMap { part($0, stated: $0.count + 2) }

    #expect(parse(body, ends: false).parts.first?.body == frames[0] + bytes("\r\n"))
    #expect(parse(body).parts.count == 2)
  }

  @Test func delimiterMayFollowWithoutALineEnd() {
    let texts = ["one", "three"].map { bytes($0) }
    let body = texts.flatMap { part($0, stated: $0.count, end: "") } + bytes("--frame--")

    for size in [1, .max] { #expect(parse(body, inPiecesOf: size).parts.map(\.body) == texts) }
  }

  @Test func blankLinesAfterTheStatedLengthAreNoPartOfTheBody() {
    let texts = ["one", "three"].map { bytes($0) }
    let body = texts.flatMap { part($0, stated: $0.count, end: "\r\n\r\n") } + bytes("--frame--")

    #expect(parse(body).parts.map(\.body) == texts)
  }

  @Test(arguments: ["-1", "0", "1e3", "0x10", "", "99999999999999999999999", " 5 "])
  func lengthThatIsNoUsableNumberIsIgnored(text: String) {
    let body = bytes("--frame\r\nContent-Length: \(text)\r\n\r\nhello\r\n--frame--\r\n")

    #expect(parse(body, inPiecesOf: 1).parts.map(\.body) == [bytes("hello")])
  }

  @Test func incompletePartAtTheEndIsDropped() {
    let frame = fakeJPEG(100)

    #expect(parse(part(Array(frame.prefix(90)), stated: 100, end: "")).parts.isEmpty)
    #expect(parse(bytes("--frame\r\n\r\n") + frame.prefix(90)).parts.isEmpty)
    #expect(parse(bytes("--frame\r\nContent-Le")).parts.isEmpty)
    #expect(parse(bytes("--fra")).parts.isEmpty)
    #expect(parse([]).parts.isEmpty)
  }

  @Test func completePartAtTheEndIsDeliveredWithoutADelimiter() {
    let frame = fakeJPEG(100)
    let start = bytes("--frame\r\n\r\n")

    for end in ["", "\n", "\r\n", "\r\n--frame", "\r\n--frame--", "--frame--"] {
      #expect(parse(start + frame + bytes(end)).parts.map(\.body) == [frame], "\(end)")
    }
    #expect(parse(start + bytes("text\r\n")).parts.map(\.body) == [bytes("text")])
  }

  @Test func timeIsLinearInTheNumberOfBytes() {
    let frames = (0..<20).map { fakeJPEG(5000, seed: UInt64($0)) }
    let hostile = Array(repeating: bytes("\n--fram"), count: 15_000).flatMap { $0 }
    let bodies = [
      MultipartText().body(frames), MultipartText(statesLengths: false).body(frames),
      frames.flatMap { part($0, stated: $0.count + 100_000) }, bytes("--frame\r\n\r\n") + hostile,
      Array(repeating: UInt8(ascii: "\n"), count: 60_000),
    ]

    for body in bodies {
      for size in [1, 1500, .max] {
        #expect(parse(body, inPiecesOf: size).examined <= 2 * body.count)
      }
    }
  }

  @Test func randomBytesAreParsedTheSameInAllPieces() {
    let words =
      [
        "\r\n", "\n", "--frame", "--frame--", "--", "frame", "Content-Length: 5", "Content-Length: 70",
        "Content-Type: a/b", "--other", "abcde", "\u{0}", " ",
      ].map { bytes($0) } + [[0xFF, 0xD8], [0xFF, 0xD9], [0xFF]]
    for seed in 0..<2000 {
      var random = SplitMix(state: UInt64(seed))
      var body = seed % 2 == 0 ? bytes("--frame\r\n") : []
      for _ in 0..<random.next(80) { body += words[random.next(words.count)] }

      let whole = parse(body, limit: 60)
      for size in [1, 2, 5] {
        let pieces = parse(body, inPiecesOf: size, limit: 60)
        #expect(pieces.parts == whole.parts && pieces.error == whole.error, "seed \(seed), pieces of \(size)")
      }
      #expect(whole.parts.allSatisfy { !$0.body.isEmpty && $0.body.count <= 60 })
    }
  }
}
