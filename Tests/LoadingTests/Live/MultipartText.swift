import VitrineTesting
@testable import VitrineLoading

/// Feeds bytes to a parser in pieces of `size` bytes, then ends the response. Returns the parts, the error and the
/// parser's number of steps.
func parse(
  _ bytes: [UInt8], boundary: String? = "frame", inPiecesOf size: Int = .max, limit: Int = 1 << 20,
  ends: Bool = true
) -> (parts: [MultipartPart], error: MultipartError?, examined: Int) {
  var parser = MultipartParser(boundary: boundary, partLimit: limit)
  var parts: [MultipartPart] = []
  var start = 0
  do throws(MultipartError) {
    while start < bytes.count {
      let end = start + min(size, bytes.count - start)
      try feed(&parser, Array(bytes[start..<end])) { parts.append($0) }
      start = end
    }
  } catch {
    return (parts, error, parser.examined)
  }
  if ends, let last = parser.finish() { parts.append(last) }
  return (parts, nil, parser.examined)
}

/// Feeds one piece of bytes.
func feed(
  _ parser: inout MultipartParser, _ bytes: [UInt8], deliver: (MultipartPart) -> Void
) throws(MultipartError) {
  var failure: MultipartError?
  bytes.withUnsafeBytes { pointer in
    do throws(MultipartError) { try parser.feed(pointer, deliver: deliver) } catch { failure = error }
  }
  if let failure { throw failure }
}

/// The bytes of a text.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// A JPEG as far as its first and last markers are concerned, with line ends and hyphens in between.
func fakeJPEG(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var random = SplitMix(state: seed)
  let alphabet: [UInt8] = [0x0A, 0x0D, 0x2D, 0x66, 0x72, 0x00, 0xFF, 0x20]
  return [0xFF, 0xD8] + (0..<max(0, count - 4)).map { _ in alphabet[random.next(alphabet.count)] } + [
    0xFF, 0xD9,
  ]
}

/// A multipart body.
struct MultipartText {
  var delimiter = "--frame"
  var lineEnd = "\r\n"
  var statesLengths = true
  var hasHeaders = true
  var endsWithLineEnd = true
  var closes = true

  func body(_ frames: [[UInt8]]) -> [UInt8] {
    var all: [UInt8] = []
    for frame in frames {
      all += bytes(delimiter + lineEnd)
      if hasHeaders { all += bytes("Content-Type: image/jpeg" + lineEnd) }
      if hasHeaders, statesLengths { all += bytes("Content-Length: \(frame.count)" + lineEnd) }
      all += bytes(lineEnd) + frame
      if endsWithLineEnd { all += bytes(lineEnd) }
    }
    return closes ? all + bytes(delimiter + "--" + lineEnd) : all
  }
}
