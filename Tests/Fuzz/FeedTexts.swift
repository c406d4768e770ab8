import FoundationEssentials

@testable import VitrineLoading

/// Parses text as a feed list from a file and from a server.
enum FeedTexts {
  private static let bases = ["file:///srv/signs/list.txt", "http://signs.test:8080/a/list.txt?b=c"]
    .compactMap { URL(string: $0) }

  static func fuzz(_ bytes: [UInt8]) -> Bool {
    guard String(validating: bytes, as: UTF8.self) != nil else { return false }
    for base in bases {
      guard let items = try? FeedList(bytes, base: base) else { continue }
      for item in items {
        let scheme = URL(string: item.url)?.scheme?.lowercased()
        precondition(scheme != nil, "a whole address")
        precondition(base.isFileURL || ["http", "https", "data"].contains(scheme), "nothing of this machine")
        precondition(!item.title.isEmpty, "a title")
      }
    }
    return true
  }
}
