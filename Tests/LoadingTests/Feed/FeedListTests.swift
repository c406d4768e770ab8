import FoundationEssentials
import Testing

@testable import VitrineLoading

struct FeedListTests {
  private let base = URL(filePath: "/srv/signs/list.txt")

  @Test func relativeURLsResolveAgainstTheList() throws {
    let items = try FeedList.parse("a b.jpg\n../c.png\nhttp://x.test/d.webp\n", base: base)

    #expect(
      items.map(\.url) == ["file:///srv/signs/a%20b.jpg", "file:///srv/c.png", "http://x.test/d.webp"])
  }

  @Test func titleFollowsATabOrIsDerivedFromTheFileName() throws {
    let items = try FeedList.parse("a.jpg\tThe first\r\n07-red_barn.jpg\n", base: base)

    #expect(items.map(\.title) == ["The first", "07 red barn"])
    #expect(items.map(\.isTitleFileName) == [false, true])
  }

  @Test(arguments: [("est:8a/.@", "est"), ("est:8a/.", "est:8a/."), ("http://x.test/.@", "http://x.test/.@")])
  func itemWithoutAFileNameHasATitle(address: String, title: String) throws {
    let items = try FeedList.parse(address, base: base)

    #expect(items.map(\.title) == [title])
  }

  @Test func furtherTabsInATitleBecomeSpaces() throws {
    let items = try FeedList.parse("a.jpg\tThe first\t1987\n", base: base)

    #expect(items.map(\.title) == ["The first 1987"])
  }

  @Test func webPageInsteadOfAListIsRefusedWithItsLine() {
    let error = #expect(throws: FeedError.self) {
      try FeedList.parse("\n<!DOCTYPE html>\n", base: base)
    }

    #expect(error?.description == "line 2 of list.txt is no URL: <!DOCTYPE html>")
  }

  @Test func addressWithAnEmptySchemeIsRefused() {
    let error = #expect(throws: FeedError.self) {
      try FeedList.parse("a.jpg\n:8080/b.jpg\n", base: base)
    }

    #expect(error?.description == "line 2 of list.txt is no URL: :8080/b.jpg")
  }

  @Test func commentsAndEmptyLinesAreIgnored() throws {
    let items = try FeedList.parse("\u{FEFF}# signs\n\n   \n a.jpg \n", base: base)

    #expect(items.count == 1)
  }

  // MARK: Lists from the network

  private let network = URL(string: "http://signs.test:8080/a/list.txt?b=c")!

  @Test(arguments: [
    "file:///etc/passwd", "FILE:///etc/passwd", "  file:///etc/passwd", "\tFile:/etc/passwd",
    "\u{FEFF}file:///x.png",
    "file:x.png", "file://localhost/x.png", "ftp://h/x.png", "x-app:/picture", "about:blank", "javascript:1",
    "a.jpg\nfile:///etc/passwd", "a.jpg\rfile:///etc/passwd", "a.jpg\u{2028}fIlE:///etc/passwd",
  ])
  func networkListMayNotNameFilesOrOtherSchemes(text: String) throws {
    let error = #expect(throws: FeedError.self) { try FeedList.parse(text, base: network) }

    #expect(error?.description.contains("which a list from the network may not name") == true)
    // The same lines are accepted in a local list.
    #expect(try FeedList.parse(text, base: base).count >= 1)
  }

  @Test func networkListMayNameHTTPAndDataURLs() throws {
    let items = try FeedList.parse(
      """
      b.png
      /c.png
      //other.test/d.png
      HTTPS://Other.test/e.png
      data:image/png;base64,AAAA
      ?row=1
      %66ile%3A/x.png
      file%3A///etc/passwd
      """, base: network)

    #expect(
      items.prefix(3).map(\.url) == [
        "http://signs.test:8080/a/b.png", "http://signs.test:8080/c.png", "http://other.test/d.png",
      ])
    for item in items {
      #expect(["http", "https", "data"].contains(URL(string: item.url)?.scheme?.lowercased()), "\(item.url)")
    }
    #expect(items.count == 8)
  }

  @Test func detailOfAFileIsTheNameOfItsFolder() throws {
    let list = try #require(URL(string: "file:///signs/list.txt"))
    let items = try FeedList.parse("a.jpg\nlake/b.jpg\nhttp://h.test/c.jpg", base: list)
    #expect(items.map(\.detail) == ["signs", "lake", "h.test"])
  }

  // MARK: Secrets

  @Test func titlesAndMessagesContainNoCredentials() throws {
    let items = try FeedList.parse(
      "http://user:hidden@h.test/\nhttp://user:hidden@h.test/a.jpg?sig=hidden", base: base)
    #expect(items.map(\.title) == ["/", "a"])
    #expect(items.map(\.detail) == ["h.test", "h.test"])

    let hiddenBase = try #require(URL(string: "http://user:hidden@signs.test/list?key=hidden"))
    let error = #expect(throws: FeedError.self) {
      try FeedList.parse("ftp://user:hidden@h.test/a.jpg?token=hidden", base: hiddenBase)
    }
    #expect(error?.description.contains("hidden") == false)
    #expect(error?.description.contains("http://signs.test/list?key=…") == true)
  }

  // MARK: Long lists

  @Test func listOfAMillionLinesStoresOnlyItsTextAndAnIndex() throws {
    let text = Array(String(repeating: "a.jpg\n", count: FeedList.countLimit).utf8)

    let list = try FeedList(text, base: base)

    #expect(list.count == 1_000_000)
    #expect(list[999_999].url == "file:///srv/signs/a.jpg")
    let stored = Dictionary(
      uniqueKeysWithValues: Mirror(reflecting: list).children.map { ($0.label ?? "", $0.value) })
    #expect(Set(stored.keys) == ["text", "starts", "base"])
    #expect((stored["text"] as? [UInt8])?.count == text.count)
    let starts = try #require(stored["starts"] as? [UInt32])
    #expect(starts.count == 1_000_000)
    #expect(starts.capacity <= 2_000_000, "room for growth, four bytes each")
  }

  @Test func listWithTooManyLinesIsRefused() {
    let text = Array(String(repeating: "a\n", count: FeedList.countLimit + 1).utf8)

    let error = #expect(throws: FeedError.self) { try FeedList(text, base: base) }

    #expect(error?.description == "list.txt is no list of URLs: it has more than 1000000 lines")
  }

  @Test func listWithTooManyBytesIsRefused() {
    let text = [UInt8](repeating: UInt8(ascii: "#"), count: FeedList.byteLimit + 1)

    let error = #expect(throws: FeedError.self) { try FeedList(text, base: base) }

    #expect(error?.description == "list.txt is no list of URLs: it has more than 16 MiB")
  }

  @Test func plainLinesAreValidWebURLs() throws {
    for text in [
      "a", "a/b.jpg?x=1&y", "/x", "..", "./a//b", "http://h", "https://h.test/a.png?b=c", "?a", "~x",
    ] {
      #expect(FeedAddresses.isPlain(Array(text.utf8)[...]), "\(text)")
      let url = try #require(URL(string: text, relativeTo: network)?.absoluteURL)
      #expect(["http", "https"].contains(url.scheme), "\(text)")
    }
    for text in [
      "", "//h/x", "a:b", "http:/x", "http://", "http:///x", "http://h:80/x", "http://u@h/", "%66", "ä", "<a",
      "a b",
    ] {
      #expect(!FeedAddresses.isPlain(Array(text.utf8)[...]), "\(text)")
    }
  }
}

extension FeedList {
  fileprivate static func parse(_ text: String, base: URL) throws(FeedError) -> FeedList {
    try FeedList(Array(text.utf8), base: base)
  }
}
