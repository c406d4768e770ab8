import FoundationEssentials

@testable import VitrineDemo

/// Reads a feed's text as if it had come from a file and from a server.
enum FeedTexts {
  private static let bases = ["file:///srv/signs/list.txt", "http://signs.test:8080/a/list.txt?b=c"]
    .compactMap { URL(string: $0) }

  static func take(_ bytes: [UInt8]) -> Bool {
    guard let text = String(validating: bytes, as: UTF8.self) else { return false }
    for base in bases {
      guard let items = try? FeedList.parse(text, base: base) else { continue }
      for item in items {
        precondition(URL(string: item.url)?.scheme != nil, "a whole address")
        precondition(!item.title.isEmpty, "a title")
      }
    }
    return true
  }
}
