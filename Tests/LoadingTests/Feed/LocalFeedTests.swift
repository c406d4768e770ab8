import Dispatch
import FoundationEssentials
import Glibc
import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Feeds from folders and files, and items of the application.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct LocalFeedTests {
  @Test func folderListsItsImagesByNameAndIsReadAgain() async throws {
    let folder = try TemporaryFolder()
    for name in ["b second.png", "a-first.JPG", ".hidden.png", "notes.txt"] {
      try folder.write("x", to: name)
    }
    let feed = try Feed(folder.path)
    var changes: [Feed.Change] = []
    feed.onChange = { changes.append($0) }
    #expect(feed.state == .loaded)
    #expect(feed.items.map(\.title) == ["a first", "b second"])
    let name = URL(filePath: folder.path).lastPathComponent
    #expect(feed.items.map(\.detail) == [name, name])
    let url = try #require(feed.items.first.flatMap { URL(string: $0.url) })
    #expect(url.path(percentEncoded: false) == folder.path + "/a-first.JPG")
    #expect(feed.items.first?.isTitleFileName == true)

    feed.reload()
    try await until { !feed.isLoading }
    #expect(changes == [])
    try folder.write("x", to: "c.webp")
    feed.reload()
    try await until { !feed.isLoading }

    #expect(changes == [.items])
    #expect(feed.items.count == 3)
    folder.remove()
    feed.reload()
    try await until { !feed.isLoading }
    #expect(feed.state == .stale(.missing(path: folder.path)))
    #expect(feed.items.count == 3)
  }

  @Test func listsOnADiskThatHangsBlockNoSwiftTask() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    // One for each thread of the concurrency pool. Opening a FIFO blocks until another program opens it as well.
    let names = (0..<max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))).map { "\($0).txt" }
    let paths = names.map { "\(folder.path)/\($0)" }
    for name in names { try folder.write("a.png\n", to: name) }
    let feeds = try paths.map { try Feed($0) }
    for path in paths {
      try FileManager.default.removeItem(atPath: path)
      #expect(mkfifo(path, 0o600) == 0)
    }
    let isReleased = Atomic(false)
    DispatchQueue.global().asyncAfter(deadline: .now() + 60) {
      guard !isReleased.exchange(true, ordering: .relaxed) else { return }
      for path in paths { _ = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC) }
    }

    for feed in feeds { feed.reload() }
    for _ in 0..<100 {
      await Task.yield()
      await Task.detached {}.value
    }

    let hasWaited = isReleased.exchange(true, ordering: .relaxed)
    #expect(!hasWaited, "a task has waited for the disk")
    for path in paths {
      try await until {
        // Fails until the feed has opened the FIFO, which then reads to the end.
        let writer = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        if writer >= 0 { close(writer) }
        return writer >= 0
      }
    }
    try await until { feeds.allSatisfy { !$0.isLoading } }
    #expect(feeds.allSatisfy { $0.items.count == 1 })
  }

  @Test func changedFolderIsReadAgainAtTheInterval() async throws {
    let folder = try TemporaryFolder()
    try folder.write("x", to: "a.png")
    try folder.write("x", to: "b.png")
    let clock = ManualLoadingClock()
    let feed = try Feed(folder.path, clock: clock)
    var updates: [ListChanges] = []
    feed.onUpdate = { updates.append($0) }
    feed.startUpdates(every: 60)

    try folder.write("x", to: "0.png")
    clock.advance(by: 67)
    try await until { feed.items.count == 3 && !feed.isLoading }
    #expect(updates.map(\.insertions) == [[0]])

    folder.remove()
    clock.advance(by: 67)
    try await until { feed.state == .stale(.missing(path: folder.path)) }
    #expect(feed.items.count == 3)
    try folder.create()
    try folder.write("x", to: "b.png")
    clock.advance(by: 67)
    try await until { feed.state == .loaded }

    #expect(feed.items.map(\.title) == ["b"])
    #expect(updates.last?.removals == [0, 1, 2], "a new file is another image, also under an old name")
    #expect(updates.last?.insertions == [0])
    folder.remove()
  }

  @Test func fileThatIsReplacedOrWrittenToIsAnotherImage() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    for name in ["a.png", "b.png", "c#1?.png"] { try folder.write("old", to: name) }
    let clock = ManualLoadingClock()
    let feed = try Feed(folder.path, clock: clock)
    let old = Array(feed.items)
    var updates: [ListChanges] = []
    feed.onUpdate = { updates.append($0) }
    feed.startUpdates(every: 60)
    #expect(URL(string: old[2].url)?.path(percentEncoded: false) == folder.path + "/c#1?.png")

    // A change of the mode is none of the contents.
    #expect(chmod(folder.path + "/b.png", 0o600) == 0)
    try folder.write("another", to: "a.png")
    clock.advance(by: 67)
    try await until { updates.count == 1 && !feed.isLoading }
    #expect(updates[0].removals == [0] && updates[0].insertions == [0])
    #expect(feed.items[0].url != old[0].url)
    #expect(feed.items[0].title == "a" && feed.items[1] == old[1] && feed.items[2] == old[2])

    // The time of the folder changes as well, but not the names in it.
    try folder.write("new", to: "new")
    #expect(rename(folder.path + "/new", folder.path + "/b.png") == 0)
    feed.reload()
    try await until { updates.count == 2 && !feed.isLoading }
    #expect(updates[1].removals == [1] && updates[1].insertions == [1])

    feed.reload()
    try await until { !feed.isLoading }
    #expect(updates.count == 2, "nothing has changed")
  }

  @Test func replacedFileIsLoadedAgainAndOthersComeFromMemory() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    func write(_ width: Int, to name: String) throws {
      try folder.write(
        String(decoding: FakeDecoder.encodedImage(width: width, height: 10), as: UTF8.self), to: name)
    }
    try write(10, to: "a.png")
    try write(20, to: "b.png")
    let decoder = FakeDecoder()
    let downloader = ImageDownloader(transports: [LocalTransport()], decoder: decoder)
    let feed = try Feed(folder.path)
    func widths() async throws -> [Int] {
      var widths: [Int] = []
      for item in feed.items { widths.append(try await downloader.image(for: item.url).image.pixelWidth) }
      return widths
    }
    #expect(try await widths() == [10, 20])

    try write(100, to: "a.png")
    feed.reload()
    try await until { !feed.isLoading }

    #expect(try await widths() == [100, 20])
    #expect(decoder.calls.count == 3)
  }

  @Test func unchangedFileIsNotReadAgain() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try folder.write("a.png\n", to: "list.txt")
    let path = folder.path + "/list.txt"
    let later = FileStamp.now + 10_000_000_000

    let list = try LocalList(path: path, at: later)
    #expect(list.stamp != nil)
    #expect(try LocalList(path: path, changedSince: list.stamp, at: later) == nil)
    #expect(try LocalList(path: path, changedSince: nil, at: later) != nil)
    #expect(
      try LocalList(path: path, at: FileStamp.now).stamp == nil, "the file may change again in this moment")
    try folder.write("a.png\nb.png\n", to: "list.txt")

    #expect(try LocalList(path: path, changedSince: list.stamp, at: later)?.items.count == 2)
    #expect(throws: FeedError.missing(path: "/nowhere")) {
      _ = try LocalList(path: "/nowhere", changedSince: list.stamp, at: later)
    }
  }

  @Test func subfoldersBelongToAFolder() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try FileManager.default.createDirectory(
      atPath: folder.path + "/my trip/day 2", withIntermediateDirectories: true)
    try folder.write("x", to: "my trip/day 2/a-b.png")
    let feed = try Feed(folder.path)

    #expect(feed.items.map(\.title) == ["a b"])
    let name = URL(filePath: folder.path).lastPathComponent
    #expect(feed.items[0].detail == name + "/my trip/day 2")
    let url = try #require(URL(string: feed.items[0].url))
    #expect(url.path(percentEncoded: false) == folder.path + "/my trip/day 2/a-b.png")

    try folder.write("x", to: "my trip/c.png")
    feed.reload()
    try await until { !feed.isLoading }
    #expect(feed.items.map(\.title) == ["c", "a b"])
  }

  @Test func imageFileIsAFeedOfOneImage() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try folder.write("old", to: "a.JPG")
    let feed = try Feed(folder.path + "/a.JPG")
    #expect(feed.items.map(\.title) == ["a"])
    let old = feed.items[0].url
    #expect(URL(string: old)?.path(percentEncoded: false) == folder.path + "/a.JPG")

    try folder.write("another", to: "a.JPG")
    feed.reload()
    try await until { !feed.isLoading }
    #expect(feed.items.count == 1 && feed.items[0].url != old)
  }

  @Test func folderIsAlwaysReadAgain() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try folder.write("x", to: "a.png")
    #expect(try LocalList(path: folder.path, at: FileStamp.now + 10_000_000_000).stamp == nil)
  }

  @Test func listFileResolvesRelativeAddresses() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try folder.write("# signs\na.png\tFirst\nhttp://a.test/b.png\n", to: "list.txt")

    let feed = try Feed(folder.path + "/list.txt")

    #expect(feed.items.map(\.title) == ["First", "b"])
    #expect(feed.items[0].url == URL(filePath: folder.path + "/a.png").absoluteString)
  }

  @Test func unusableLocationThrowsATypedError() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try folder.write("a\u{0}", to: "binary")
    try folder.write("# nothing\n", to: "empty.txt")
    let cases: [(String, FeedError)] = [
      ("/nowhere/list.txt", .missing(path: "/nowhere/list.txt")),
      ("/dev/zero", .tooLong("/dev/zero", limit: "16 MiB")),
      (folder.path, .emptyFolder(path: folder.path)),
      (folder.path + "/binary", .notText(folder.path + "/binary")),
      (folder.path + "/empty.txt", .emptyList(folder.path + "/empty.txt")),
      ("http://", .invalidURL("http://")),
    ]

    for (location, expected) in cases {
      #expect(throws: expected) { try Feed(location) }
      #expect(!"\(expected)".contains("\n"))
    }
  }

  @Test func feedCreatesItemsOfTheApplicationOnDemand() {
    let feed = Feed(
      name: "Numbers", items: Feed.Items(count: 10_000) { Feed.Item(url: "http://a.test/\($0)") })

    feed.reload()

    #expect(feed.state == .loaded)
    #expect(feed.items.count == 10_000)
    #expect(feed.items[9_999] == Feed.Item(url: "http://a.test/9999"))
    #expect(Array(Feed.Items([Feed.Item(url: "a"), Feed.Item(url: "b")])).map(\.url) == ["a", "b"])
  }
}

/// A folder for the files of a test.
private struct TemporaryFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "vitrine-feed-\(UUID())").path
    try create()
  }

  func create() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path).appending(path: name))
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
