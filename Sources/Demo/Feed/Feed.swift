/// One picture of a feed.
nonisolated struct FeedItem: Equatable, Sendable {
  var url: String
  var title: String
  var detail: String
}

/// The pictures that a screen shows, in order.
struct Feed {
  /// What the status line calls it.
  let name: String
  let count: Int
  private let item: (Int) -> FeedItem

  init(name: String, items: [FeedItem]) {
    self.name = name
    count = items.count
    item = { items[$0] }
  }

  init(name: String, list: FeedList) { self.init(name: name, count: list.count) { list[$0] } }

  /// A feed that makes its items when they are asked for.
  init(name: String, count: Int, item: @escaping (Int) -> FeedItem) {
    self.name = name
    self.count = count
    self.item = item
  }

  subscript(index: Int) -> FeedItem { item(index) }
}

/// Why there is no feed: one line that says what to do.
nonisolated struct FeedError: Error, Equatable, CustomStringConvertible {
  let message: String

  var description: String { message }
}
