import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// The downloader of a view class and its subclasses. The tests are serialized because the setting is process-wide.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SharedDownloaderTests {
  private class Avatar: ImageView {}
  private final class SmallAvatar: Avatar {}
  private final class Cover: ImageView {}

  private static func downloader() -> ImageDownloader {
    ImageDownloader(transports: [FakeTransport()], decoder: FakeDecoder(), cache: nil)
  }

  @Test("AF-I11 all views use the downloader set for them; nil restores the shared downloader")
  func downloaderSetForAllViewsIsUsedUntilReset() async throws {
    let bench = SlotBench()
    let recorder = CompletionRecorder()
    let view = bench.view()
    View.setSharedImageDownloader(bench.downloader)
    defer { View.setSharedImageDownloader(nil) }

    view.setImage(from: "http://a.test/1", completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()
    View.setSharedImageDownloader(nil)
    view.setImage(from: "http://a.test/2", completion: recorder.completion)
    await recorder.wait(for: 2)

    #expect(recorder.images.count == 1)
    #expect(recorder.errors == [.notConfigured])
    #expect(bench.transport.transfers.count == 1)
  }

  @Test func classInheritsTheDownloaderOfItsSuperclass() {
    let own = Self.downloader()
    Avatar.sharedImageDownloader = own
    defer { Avatar.setSharedImageDownloader(nil) }

    #expect(Avatar.sharedImageDownloader === own)
    #expect(SmallAvatar.sharedImageDownloader === own)
    #expect(Cover.sharedImageDownloader === ImageDownloader.shared)
    #expect(ImageView.sharedImageDownloader === ImageDownloader.shared)
    #expect(View.sharedImageDownloader === ImageDownloader.shared)
  }

  @Test(arguments: [true, false]) func downloaderOfTheNearestClassIsUsed(isUpperSetFirst: Bool) {
    let upper = Self.downloader()
    let lower = Self.downloader()
    if isUpperSetFirst { Avatar.sharedImageDownloader = upper }
    SmallAvatar.sharedImageDownloader = lower
    if !isUpperSetFirst { Avatar.sharedImageDownloader = upper }
    defer {
      Avatar.setSharedImageDownloader(nil)
      SmallAvatar.setSharedImageDownloader(nil)
    }

    #expect(Avatar.sharedImageDownloader === upper)
    #expect(SmallAvatar.sharedImageDownloader === lower)
    SmallAvatar.setSharedImageDownloader(nil)
    #expect(SmallAvatar.sharedImageDownloader === upper)
    Avatar.setSharedImageDownloader(nil)
    #expect(SmallAvatar.sharedImageDownloader === ImageDownloader.shared)
  }

  @Test func newDownloaderReplacesAndReleasesThePrevious() {
    weak var first: ImageDownloader?
    do {
      let made = Self.downloader()
      first = made
      Cover.sharedImageDownloader = made
    }
    #expect(first != nil)
    let second = Self.downloader()
    Cover.sharedImageDownloader = second
    defer { Cover.setSharedImageDownloader(nil) }

    #expect(first == nil)
    #expect(Cover.sharedImageDownloader === second)
  }

  @Test func viewLoadsWithTheDownloaderOfItsClass() async throws {
    let bench = SlotBench()
    let recorder = CompletionRecorder()
    SmallAvatar.sharedImageDownloader = bench.downloader
    defer { SmallAvatar.setSharedImageDownloader(nil) }

    let views = [SmallAvatar(), Cover()]
    for view in views {
      view.frame = Rect(x: 0, y: 0, width: 10, height: 10)
      view.setImage(from: "http://a.test/1", completion: recorder.completion)
    }
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(recorder.images.count == 1)
    #expect(recorder.errors == [.notConfigured])
  }

  @Test("SD-W23 a downloader given to one call serves only that call; the load's key is the name of its slot")
  func downloaderOfACallServesOnlyThatCall() async throws {
    let bench = SlotBench()
    let recorder = CompletionRecorder()
    let view = bench.view()

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    #expect(view.loadOperation(forKey: "contents") != nil)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()
    view.setImage(from: "http://a.test/2", completion: recorder.completion)
    await recorder.wait(for: 2)

    #expect(recorder.errors == [.notConfigured])
    #expect(bench.transport.transfers.count == 1)
  }
}
