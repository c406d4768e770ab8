import FoundationEssentials

extension Feed {
  /// An image of a feed.
  public struct Item: Hashable, Sendable {
    /// The absolute URL of the image. That of a file that is not named by a list has a query, which loads ignore. The
    /// query changes when the file is replaced or written to, so that the file is another image.
    public var url: String
    /// The title: the text after the tab in a list, otherwise the file name without extension.
    public var title: String
    /// The host of the image, or the folder of a file: its name, and in a subfolder the path from the feed's folder on.
    public var detail: String

    /// Creates an item; by default without texts.
    public init(url: String, title: String = "", detail: String = "") {
      self.url = url
      self.title = title
      self.detail = detail
    }

    /// True if the title is only the name of the file in `url`, as `Feed` makes it for images without a title.
    public var isTitleFileName: Bool { URL(string: url).map { FeedList.title(of: $0) == title } ?? false }
  }

  /// The images of a feed, in order. Items are created when they are read, so that a list of a million lines takes
  /// little more memory than its text.
  public struct Items: RandomAccessCollection, Sendable {
    private let item: @Sendable (Int) -> Item
    /// The list that the items were parsed from; `nil` for other items.
    let list: FeedList?
    /// The number of images.
    public let endIndex: Int
    /// 0.
    public var startIndex: Int { 0 }

    /// Creates items that `item` returns when they are read.
    public init(count: Int, item: @escaping @Sendable (Int) -> Item) {
      self.init(count: count, list: nil, item: item)
    }

    private init(count: Int, list: FeedList?, item: @escaping @Sendable (Int) -> Item) {
      endIndex = count
      self.list = list
      self.item = item
    }

    /// Creates items from an array.
    public init(_ items: [Item]) { self.init(count: items.count) { items[$0] } }

    init(_ list: FeedList) { self.init(count: list.count, list: list) { list[$0] } }

    /// Returns the item at an index.
    public subscript(index: Int) -> Item { item(index) }
  }
}
