import VitrineGraphics

@testable import VitrineCodecs
@testable import VitrineLoading

/// Parses a text line as a `Content-Type`, and the remaining bytes as the body of the response, in pieces of several
/// sizes. Parts that are images are decoded and played.
enum MultipartBodies {
  private static let limit = 256

  static func fuzz(_ bytes: [UInt8]) -> Bool {
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    let body = Array(bytes.dropFirst(line.count + 1))
    let boundary = MediaType(String(decoding: line, as: UTF8.self)).boundary
    let whole = parse(body, boundary, inPiecesOf: max(1, body.count))
    for size in [1, 3] {
      let pieces = parse(body, boundary, inPiecesOf: size)
      precondition(pieces == whole, "the same parts in any pieces")
    }
    for part in whole.parts {
      precondition(!part.body.isEmpty && part.body.count <= limit, "a bounded body")
      precondition(part.headers.fields.count <= MultipartParser.headerLimit, "bounded headers")
      if let format = ImageSignature.format(of: part.body) { _ = Images.fuzz(part.body, as: format) }
    }
    return true
  }

  private struct Outcome: Equatable {
    var parts: [MultipartPart] = []
    var error: MultipartError?
  }

  private static func parse(_ body: [UInt8], _ boundary: String?, inPiecesOf size: Int) -> Outcome {
    var parser = MultipartParser(boundary: boundary, partLimit: limit)
    var outcome = Outcome()
    var start = 0
    while start < body.count, outcome.error == nil {
      let end = start + min(size, body.count - start)
      body[start..<end].withUnsafeBytes { piece in
        do throws(MultipartError) {
          try parser.feed(piece) { outcome.parts.append($0) }
        } catch {
          outcome.error = error
        }
      }
      precondition(parser.memoryNeeded(for: size) >= parser.memoryUsed, "a plausible need")
      precondition(parser.memoryUsed <= MultipartParser.headerLimit + 2 * limit, "bounded memory")
      start = end
    }
    precondition(parser.examined <= 2 * body.count, "linear time")
    if outcome.error == nil, let last = parser.finish() { outcome.parts.append(last) }
    return outcome
  }
}
