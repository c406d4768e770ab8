import FoundationEssentials
import Testing

@testable import VitrineLoading

/// The lane of a URL, which is that of the last URL if both begin alike.
struct LastLaneTests {
  @Test func lanesAreThoseOfTheURLs() throws {
    let beginnings = [
      "http://a.test", "http://a.test:80", "https://a.test", "http://a.test.b", "http://A.test",
      "http://a.tes",
      "http://user@a.test", "http://a.test:8080", "file://", "file://localhost", "http://[::1]",
      "ftp://a.test", "foo:bar://a.test",
    ]
    let endings = ["", "/", "/b", "/b?c", "?c", "#d", "/http://b.test/", ":1/", "@b.test/"]
    var random = SystemRandomNumberGenerator()
    var last = LastLane()
    var (count, previous) = (0, "")

    for _ in 0..<5000 {
      let text =
        (beginnings.randomElement(using: &random) ?? "") + (endings.randomElement(using: &random) ?? "")
      guard let url = URL(string: text) else { continue }
      count += 1
      #expect(last.lane(of: url) == DownloadQueue.Lane(url), "\(text) after \(previous)")
      previous = text
    }

    #expect(count > 4000)
    let data = try #require(URL(string: "data:,a"))
    #expect(last.lane(of: data) == .data)
  }
}
