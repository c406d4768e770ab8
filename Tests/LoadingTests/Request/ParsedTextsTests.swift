import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The identities that are kept by the text of a URL.
@Suite(.timeLimit(.minutes(5))) struct ParsedTextsTests {
  private func request(_ text: String, _ parsed: ParsedTexts) throws -> ImageRequest {
    try ImageRequest(text, parsed: parsed)
  }

  @Test func requestFromAKeptTextIsEqualToAParsedRequest() throws {
    let parsed = ParsedTexts()
    let texts = [
      "https://example.com/a.jpg", "https://example.com/a.jpg#part", "https://example.com/a.jpg?b=c#d",
      "https://example.com/a b.jpg", "http://example.com/\u{E9}.jpg", "file:///a%20b.png", "x:",
      "HTTP://E.com",
      "https://example.com/" + String(repeating: "p", count: 500),
    ]

    for text in texts {
      let first = try request(text, parsed)
      let second = try request(text, parsed)
      let url = try #require(URL(string: text))

      #expect(first == ImageRequest(url: url))
      #expect(second == first)
      #expect(second.url.absoluteString == url.absoluteString)
      #expect(second.identity == first.identity)
      #expect(parsed.identity(of: text) != nil)
    }
    #expect(parsed.usage.count == texts.count)
  }

  @Test func textsThatDifferOnlyInNormalizationAreKeptApart() throws {
    let parsed = ParsedTexts()
    let composed = "https://example.com/\u{E9}.jpg"
    let decomposed = "https://example.com/e\u{301}.jpg"
    #expect(composed == decomposed)

    let first = try request(composed, parsed)
    #expect(parsed.identity(of: decomposed) == nil)
    let second = try request(decomposed, parsed)

    #expect(first.url.absoluteString != second.url.absoluteString)
    #expect(try request(composed, parsed).url.absoluteString == first.url.absoluteString)
    #expect(try request(decomposed, parsed).url.absoluteString == second.url.absoluteString)
  }

  @Test(arguments: ["", "a.jpg", "//example.com/a.jpg", "http://[", ":"])
  func textWithoutAValidURLFailsEachTime(text: String) {
    let parsed = ParsedTexts()

    for _ in 0..<2 {
      #expect(throws: ImageError.invalidURL(text)) { try request(text, parsed) }
    }
    #expect(parsed.usage.count == 0)
  }

  @Test func changedCopyOfARequestLeavesTheKeptIdentity() throws {
    let parsed = ParsedTexts()
    let text = "https://example.com/a.jpg"
    var changed = try request(text, parsed)
    changed.headers["Cookie"] = "a=b"
    changed.url = try #require(URL(string: "https://example.com/b.jpg"))

    let other = try request(text, parsed)

    #expect(other.url.absoluteString == text)
    #expect(other.headers.isEmpty)
  }

  @Test func longTextIsNotKept() throws {
    let parsed = ParsedTexts()
    let longest = "data:," + String(repeating: "a", count: ParsedTexts.longestText - 6)

    _ = try request(longest, parsed)
    _ = try request(longest + "a", parsed)

    #expect(parsed.identity(of: longest) != nil)
    #expect(parsed.usage.bytes == ParsedTexts.longestText)
  }

  @Test(arguments: [(40, Int.max), (Int.max, 1000)])
  func endlessTextsStayWithinTheLimits(countLimit: Int, byteLimit: Int) throws {
    let parsed = ParsedTexts(countLimit: countLimit, byteLimit: byteLimit)

    for number in 0..<2000 {
      let text = "https://example.com/\(number)"
      _ = try request(text, parsed)
      #expect(parsed.identity(of: text)?.url == text)
      #expect(parsed.usage.count <= countLimit)
      #expect(parsed.usage.bytes <= byteLimit)
    }

    #expect(parsed.usage.count > 30)
    #expect(parsed.usage.bytes > 800)
  }

  @Test func usedTextOutlivesUnusedTexts() throws {
    let parsed = ParsedTexts(countLimit: 8)
    let used = "https://example.com/used"
    _ = try request(used, parsed)

    for number in 0..<100 {
      #expect(parsed.identity(of: used) != nil)
      _ = try request("https://example.com/\(number)", parsed)
    }

    #expect(parsed.usage.count == 8)
  }

  @Test func criticalMemoryPressureReleasesTheTexts() throws {
    let ledger = MemoryLedger()
    let parsed = ParsedTexts()
    parsed.count(against: ledger)
    _ = try request("https://example.com/a.jpg", parsed)

    ledger.handlePressure(.warning)
    #expect(parsed.usage.count == 1)
    ledger.handlePressure(.critical)

    #expect(parsed.usage.count == 0)
    #expect(parsed.usage.bytes == 0)
  }

  @Test("Any series of texts is found or parsed, from several threads")
  func severalThreadsFindTheirTexts() async {
    let parsed = ParsedTexts(countLimit: 16)
    await withDiscardingTaskGroup { group in
      for seed in 0..<4 {
        group.addTask {
          var random = SplitMix(state: UInt64(seed))
          for _ in 0..<1000 {
            let text = "https://example.com/\(Int.random(in: 0..<40, using: &random))"
            let request = try? ImageRequest(text, parsed: parsed)
            #expect(request?.url.absoluteString == text)
          }
        }
      }
    }
    #expect(parsed.usage.count == 16)
  }
}
