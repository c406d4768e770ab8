import FoundationEssentials

@testable import VitrineLoading

/// Interrupts a body and resumes it with a response that has the fuzzed headers.
enum ResumedBodies {
  private static let url = URL(string: "http://a.test/b")
  private static let beginning = [UInt8](repeating: 7, count: ResumableData.minimumBytes)

  static func fuzz(_ bytes: [UInt8]) -> Bool {
    guard let url else { return false }
    var input = FuzzedInput(bytes)
    let (first, second, count) = (input.int(), input.int(), input.int() & 0x3FFF)
    let headers = input.headers
    for text in input.texts { check(ContentRange(text)) }

    let head = TransportResponse(url: url, status: 200, headers: ["ETag": "\"a\""], expectedLength: first)
    let resumable = ResumableData(beginning, of: head, length: head.expectedLength, validator: nil)
    // A partial response, a full response and an unsatisfiable range.
    for status in [206, 200, 416] {
      var assembler = ResponseAssembler(resuming: resumable)
      let response = TransportResponse(url: url, status: status, headers: headers, expectedLength: second)
      _ = assembler.receive(response)
      [UInt8](repeating: 8, count: count).withUnsafeBytes { assembler.receive($0) }
      check(assembler)
      var broken = assembler
      _ = broken.takeResumableData()
      _ = assembler.end(
        count & 1 == 0 ? .success(TransportMetrics()) : .failure(.tooLarge(.body(bytes: second))))
    }
    return true
  }

  private static func check(_ range: ContentRange?) {
    guard let range else { return }
    precondition(range.first >= 0 && range.first <= range.last, "in order")
    precondition(range.last <= StatedNumber.largest, "bounded")
    precondition(range.length.map { $0 > range.last } ?? true, "within the whole")
  }

  private static func check(_ assembler: ResponseAssembler) {
    let progress = assembler.progress
    precondition(progress.received == assembler.body.count, "what came")
    precondition(progress.fraction.map { 0...1 ~= $0 } ?? true, "a fraction")
  }
}
