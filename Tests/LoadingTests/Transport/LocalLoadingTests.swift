import FoundationEssentials
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Loads of files and data URLs by a downloader.
@Suite(.timeLimit(.minutes(5))) struct LocalLoadingTests {
  private let files: LocalFiles

  init() throws { files = try LocalFiles() }

  @Test func downloaderReadsFilesAndDataURLs() async throws {
    let downloader = ImageDownloader(transports: [LocalTransport()], decoder: FakeDecoder())
    let url = try files.write(FakeDecoder.encodedImage(width: 3, height: 2), to: "a.picture")

    let file = try await downloader.image(for: url)
    let data = try await downloader.image(for: "data:,4 5 0 0 0 255")

    #expect(file.source == .file)
    #expect(file.image.pixelWidth == 3)
    #expect(data.source == .file)
    #expect(data.image.pixelWidth == 4)
    #expect(downloader.statistics.requests == 0)
    #expect(downloader.statistics.bytes == 0)
  }

  @Test func fileThatAppearsLaterIsLoadedWhenRequestedAgain() async throws {
    let world = Fixture { $0.failureMemory = FailureMemory() }
    let request = ImageRequest(url: files.folder.appending(path: "later.jpg"))
    await #expect(throws: ImageError.self) { try await world.downloader.load(request).response }

    _ = try files.write(Fixture.body, to: "later.jpg")

    #expect(try await world.downloader.load(request).response.source == .file)
  }

  @Test("SD-D31 200 loads of one file, started one after the other, each get its image")
  func staggeredLoadsOfOneFileEachGetItsImage() async throws {
    let file = try files.write(Fixture.body, to: "a.jpg")
    let world = Fixture()
    var tasks: [ImageTask] = []
    for number in 0..<200 {
      tasks.append(
        world.downloader.load(
          ImageRequest(url: file, targetSize: DecodeTarget(width: 1 + number % 5, height: 1))))
      // Staggered, so that some reads begin while others run, and some after they have ended.
      if number % 3 == 0 { await Task.yield() }
      if number % 20 == 19 { _ = try await tasks[number - 10].response }
    }
    for task in tasks { #expect(try await task.response.image.pixelWidth >= 1) }
  }

  @Test("SD-D32 ten loads of an empty file each fail with .emptyBody")
  func loadsOfAnEmptyFileEachFail() async throws {
    let file = try files.write([], to: "empty.jpg")
    let world = Fixture()
    var tasks: [ImageTask] = []
    for number in 0..<10 {
      tasks.append(world.downloader.load(ImageRequest(url: file)))
      await Task.yield()
      if number == 4 { await #expect(throws: ImageError.emptyBody) { try await tasks[2].response } }
    }
    for task in tasks { await #expect(throws: ImageError.emptyBody) { try await task.response } }
  }
}
