import VitrineConcurrency
@testable import VitrineLoading

/// Parses texts as dates and as `Retry-After` values.
enum Dates {
  static func fuzz(_ bytes: [UInt8]) -> Bool {
    var input = FuzzedInput(bytes)
    let (wallClock, longest, now) = (input.double(), input.double(), Int64(bitPattern: input.bits()))
    let texts = input.texts
    for text in texts {
      if let date = HTTPDate.seconds(text) {
        precondition(abs(date) < 0x1p40, "between the years 1600 and 9999")
      }
      if let number = CacheControl.deltaSeconds(text) {
        precondition(0...CacheControl.maximumSeconds ~= number, "bounded seconds")
      }
    }
    for headers in [input.headers, ["Retry-After": texts[0], "Date": texts.last ?? ""]] as [HTTPHeaders] {
      let pause = RetryAfter.seconds(headers) { wallClock }
      precondition(pause.map { 0...CacheControl.maximumSeconds ~= $0 } ?? true, "a bounded pause")
      let policy = RetryPolicy(limit: 9, delay: longest, maximumDelay: longest)
      let delay = policy.delay(beforeRetry: Int(now & 7), of: .status(503), retryAfter: pause, random: 0.5)
      precondition(delay.map { $0 >= 0 } ?? true, "a delay")
      if let delay { precondition((now & .max).advanced(bySeconds: delay) >= now & .max, "later") }
      var backOff = HostBackOff()
      backOff.maximumPause = longest
      backOff.maximumStatedPause = longest
      let lane = DownloadQueue.Lane.host(scheme: "http", name: "a", port: nil)
      for number in 1...3 {
        backOff.responded(
          FetchID(number: UInt64(number)), lane: lane, status: 503, retryAfter: pause, random: 0.5,
          at: now & .max)
      }
      _ = backOff.opening(of: lane, at: now & .max)
    }
    return true
  }
}
