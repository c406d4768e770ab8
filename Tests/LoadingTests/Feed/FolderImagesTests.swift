import FoundationEssentials
import Glibc
import Testing

@testable import VitrineLoading

/// The search for images in a folder and its subfolders.
@Suite(.timeLimit(.minutes(5))) struct FolderImagesTests {
  private let files: LocalFiles
  private var folder: String { files.folder.path }

  init() throws { files = try LocalFiles() }

  private func write(_ paths: String...) throws {
    for path in paths {
      let url = files.folder.appending(path: path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data([1]).write(to: url)
    }
  }

  private func paths(_ limits: FolderImages.Limits = .init()) throws -> [String] {
    try #require(FolderImages(in: folder, limits: limits)).files.map(\.path)
  }

  @Test func filesComeBeforeSubfoldersInNaturalOrder() throws {
    try write("10.jpg", "9.JPG", "trip 10/a.webp", "trip 2/b.png", "trip 2/day/c.gif", "trip 2/notes.txt")
    #expect(try paths() == ["9.JPG", "10.jpg", "trip 2/b.png", "trip 2/day/c.gif", "trip 10/a.webp"])
  }

  @Test func onlyVisibleFilesAreImages() throws {
    try write("sub.jpg/in.jpg", ".hidden/a.jpg", ".b.jpg", "c", "jpg")
    #expect(mkfifo(folder + "/pipe.jpg", 0o600) == 0)
    #expect(symlink("nothing", folder + "/broken.jpg") == 0)
    #expect(try paths() == ["sub.jpg/in.jpg"])
  }

  @Test func linksAreFollowedOnce() throws {
    try write("a.jpg", "b/c.jpg")
    #expect(symlink("a.jpg", folder + "/link.jpg") == 0)
    #expect(symlink("..", folder + "/b/loop") == 0)
    #expect(symlink("b", folder + "/c") == 0)
    #expect(try paths() == ["a.jpg", "link.jpg", "b/c.jpg"])
  }

  @Test func searchEndsAtItsLimits() throws {
    try write("a.jpg", "b.jpg", "c/d.jpg", "c/e/f.jpg")
    #expect(try paths() == ["a.jpg", "b.jpg", "c/d.jpg", "c/e/f.jpg"])
    #expect(try paths(.init(depth: 0)) == ["a.jpg", "b.jpg"])
    #expect(try paths(.init(depth: 1)) == ["a.jpg", "b.jpg", "c/d.jpg"])
    #expect(try paths(.init(images: 3)) == ["a.jpg", "b.jpg", "c/d.jpg"])
    #expect(try paths(.init(entries: 1)) == ["a.jpg"])
  }

  @Test func missingFolderIsNotRead() {
    #expect(FolderImages(in: folder + "/nowhere") == nil)
  }
}
