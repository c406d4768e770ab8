import Testing
import VitrineLoading

@testable import VitrineCurlTransport

@Suite("Fields that a server repeats are parsed once")
struct RecentFieldsTests {
  private let recent = RecentFields()

  /// Returns the field of a line, and the number of times that it was parsed.
  private func field(_ position: Int, _ line: String) -> (value: String?, parsed: Int) {
    var line = line
    return line.withUTF8 { line in
      var parsed = 0
      let field = recent.field(at: position, of: UnsafeRawBufferPointer(line)) { bytes in
        parsed += 1
        return bytes.isEmpty
          ? nil : HTTPHeaders.Field(name: "A", value: String(decoding: bytes, as: UTF8.self))
      }
      return (field?.value, parsed)
    }
  }

  @Test func equalLineAtAnEqualPositionIsParsedOnce() {
    #expect(field(0, "A: 1") == ("A: 1", 1))
    #expect(field(1, "A: 2") == ("A: 2", 1))
    #expect(field(0, "A: 1") == ("A: 1", 0))
    #expect(field(1, "A: 2") == ("A: 2", 0))
    #expect(field(1, "A: 1") == ("A: 1", 1), "it was at another position")
    #expect(field(1, "A: 2") == ("A: 2", 1), "the newest line of a position is kept")
  }

  @Test func lineWithoutAFieldAndLongLinesAreParsedEachTime() {
    let long = String(repeating: "a", count: RecentFields.lineLimit + 1)
    for _ in 0..<2 {
      #expect(field(0, "") == (nil, 1))
      #expect(field(0, long) == (long, 1))
    }
  }

  @Test func longLineDoesNotKeepLaterFieldsFromBeingKept() {
    let long = String(repeating: "a", count: RecentFields.lineLimit + 1)
    for count in [1, 0] {
      #expect(field(0, long) == (long, 1))
      #expect(field(1, "A: 1") == ("A: 1", count))
    }
  }

  @Test(arguments: ["Set-Cookie", "set-cookie", "Location"]) func secretsAreNotKept(name: String) {
    let line = Array("\(name): secret\r\n".utf8)
    var parsed = 0
    for _ in 0..<2 {
      line.withUnsafeBytes { line in
        _ = recent.field(at: 0, of: line) { _ in
          parsed += 1
          return HTTPHeaders.Field(name: name, value: "secret")
        }
      }
    }
    #expect(parsed == 2)
  }

  @Test func fieldsBeyondTheLimitAreParsedEachTime() {
    for position in 0...RecentFields.fieldLimit { #expect(field(position, "x") == ("x", 1)) }
    for position in 0..<RecentFields.fieldLimit { #expect(field(position, "x") == ("x", 0)) }
    #expect(field(RecentFields.fieldLimit, "x") == ("x", 1))
    #expect(field(1000, "x") == ("x", 1))
  }

  @Test func headsAreParsedAlikeWithAndWithoutRecentFields() {
    let lines = [
      "A: 1", "A: 2", "a: 1", "B:", ":", "no field", " folded", "ETag: \"x\"", "Date: \u{FC}", "C: 1  ",
    ]
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      var (known, fresh) = (ResponseHead(), ResponseHead())
      var head = (0..<Int.random(in: 0..<6, using: &random)).map { _ in
        lines.randomElement(using: &random) ?? ""
      }
      head = ["HTTP/1.1 103 Early Hints", "Link: </a>", "", "HTTP/1.1 200 OK"] + head + ["", "Trailer: 1"]
      for line in head {
        // Latin-1, which is not valid UTF-8 beyond ASCII.
        let bytes = line.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } + [0x0D, 0x0A]
        bytes.withUnsafeBytes { bytes in
          #expect(known.append(line: bytes, recent: recent) == fresh.append(line: bytes))
        }
      }
      #expect(known.headers.fields.map(\.name) == fresh.headers.fields.map(\.name))
      #expect(known.headers.fields.map(\.value) == fresh.headers.fields.map(\.value))
    }
  }
}
