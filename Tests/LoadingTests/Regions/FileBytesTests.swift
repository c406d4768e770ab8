import FoundationEssentials
import Glibc
import Testing
import VitrineGraphics

@testable import VitrineLoading

/// Files that are read in parts while other programs change them.
@Suite(.timeLimit(.minutes(5))) struct FileBytesTests {
  private let files: LocalFiles
  private let path: String

  init() throws {
    files = try LocalFiles()
    path = try files.write(Array(repeating: 1, count: 5000), to: "a.jpg").path
  }

  @Test func fileThatIsWrittenToIsReadNoMore() throws {
    let bytes = try #require(FileBytes(path: path)).encoded
    #expect(bytes.prefix(5000).count == 5000)

    let handle = try #require(fopen(path, "r+e"))
    #expect(fwrite([2, 2, 2], 1, 3, handle) == 3)
    #expect(fclose(handle) == 0)
    // A coarse clock would not tell the write from the creation.
    #expect(
      utimensat(AT_FDCWD, path, [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)], 0) == 0)

    #expect(bytes.prefix(5000).isEmpty)
  }

  @Test func fileThatIsReplacedOrRemovedIsStillRead() throws {
    let bytes = try #require(FileBytes(path: path)).encoded

    let other = try files.write(Array(repeating: 2, count: 5000), to: "b.jpg")
    #expect(rename(other.path, path) == 0)
    #expect(bytes.prefix(5000) == Array(repeating: 1, count: 5000))

    #expect(unlink(path) == 0)
    #expect(bytes.prefix(5000) == Array(repeating: 1, count: 5000))
  }

  @Test func shortenedFileEndsEarly() throws {
    let bytes = try #require(FileBytes(path: path)).encoded
    #expect(truncate(path, 10) == 0)
    #expect(bytes.prefix(5000).isEmpty)
  }
}
