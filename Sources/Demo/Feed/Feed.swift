/// An image of a feed.
nonisolated struct FeedItem: Equatable, Sendable {
  var url: String
  var title: String
  var detail: String
}

/// The images that a screen shows, in order.
struct Feed {
  /// The name of the feed in the status line.
  let name: String
  let count: Int
  private let item: (Int) -> FeedItem

  init(name: String, items: [FeedItem]) {
    self.name = name
    count = items.count
    item = { items[$0] }
  }

  init(name: String, list: FeedList) { self.init(name: name, count: list.count) { list[$0] } }

  /// Creates a feed whose items are created on demand.
  init(name: String, count: Int, item: @escaping (Int) -> FeedItem) {
    self.name = name
    self.count = count
    self.item = item
  }

  subscript(index: Int) -> FeedItem { item(index) }
}

/// The reason why a feed cannot be used: one line, which says how to fix the problem if it can be fixed.
nonisolated struct FeedError: Error, Equatable, CustomStringConvertible {
  let message: String

  var description: String { message }
}
