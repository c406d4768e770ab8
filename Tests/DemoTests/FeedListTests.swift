import FoundationEssentials
import Testing

@testable import VitrineDemo

struct FeedListTests {
  private let base = URL(filePath: "/srv/signs/list.txt")

  @Test func relativeAddressesResolveAgainstTheList() throws {
    let items = try FeedList.parse("a b.jpg\n../c.png\nhttp://x.test/d.webp\n", base: base)

    #expect(
      items.map(\.url) == ["file:///srv/signs/a%20b.jpg", "file:///srv/c.png", "http://x.test/d.webp"])
  }

  @Test func titleFollowsATabAndIsMadeFromTheNameWithout() throws {
    let items = try FeedList.parse("a.jpg\tThe first\r\n07-red_barn.jpg\n", base: base)

    #expect(items.map(\.title) == ["The first", "07 red barn"])
  }

  @Test func furtherTabsInATitleAreBlanks() throws {
    let items = try FeedList.parse("a.jpg\tThe first\t1987\n", base: base)

    #expect(items.map(\.title) == ["The first 1987"])
  }

  @Test func aPageInsteadOfAListIsRefusedByName() {
    let error = #expect(throws: FeedError.self) {
      try FeedList.parse("\n<!DOCTYPE html>\n", base: base)
    }

    #expect(error?.message == "line 2 of list.txt is no URL: <!DOCTYPE html>")
  }

  @Test func commentsAndEmptyLinesAreNoPictures() throws {
    let items = try FeedList.parse("\u{FEFF}# signs\n\n   \n a.jpg \n", base: base)

    #expect(items.count == 1)
  }
}
