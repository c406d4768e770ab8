import Foundation
import Testing
import Vitrine
import VitrineTesting

/// Tests that run in parallel, each with a screen, and wait for images.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct TestScreenTests {
  private let transport = FakeTransport()

  private func options() -> SlotOptions {
    SlotOptions(downloader: ImageDownloader(transports: [transport], decoder: FakeDecoder()))
  }

  @Test(arguments: 1...8)
  func screensOfParallelTestsTakeTurns(number: Int) async throws {
    let screen = try await TestScreen(size: Size(width: 40, height: 30))
    let view = ImageView(frame: screen.window.bounds)
    screen.window.addSubview(view)
    view.setImage(from: "http://a.test/\(number)", options: options())
    let transport = transport
    let server = Task {
      let transfer = try await transport.transfer(1)
      await drainMainQueue(rounds: 10)
      transfer.respond(with: FakeDecoder.encodedImage(width: 40, height: 30))
    }

    try await screen.load()
    try await server.value

    #expect(view.image != nil)
    #expect(screen.advanceUntilIdle())
    #expect(screen.host.videoDriver == "offscreen")
  }

  @Test func loadFailsForAnImageThatNeverArrives() async throws {
    let screen = try await TestScreen(size: Size(width: 40, height: 30))
    let view = ImageView(frame: screen.window.bounds)
    screen.window.addSubview(view)
    view.setImage(from: "http://a.test/never", options: options())

    await #expect(throws: WaitFailure.self) { try await screen.load(within: 0) }
  }

  @Test func waitForAScreenEndsWhenItsTaskIsCancelled() async throws {
    let screen = try await TestScreen(size: Size(width: 40, height: 30))
    let waiting = Task { try await TestScreen(size: Size(width: 40, height: 30)) }
    await drainMainQueue(rounds: 100)

    waiting.cancel()
    await #expect(throws: (any Error).self) { try await waiting.value }

    // The next test can open its screen nevertheless.
    screen.close()
    let next = try await TestScreen(size: Size(width: 40, height: 30))
    next.close()
    next.close()
  }

  @Test func differenceFromARecordedImageIsReportedAndWritten() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "recorded-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let screen = try await TestScreen(size: Size(width: 40, height: 30))

    let missing = #expect(throws: ScreenDifference.self) { try screen.expect("black", in: folder.path) }
    #expect(missing?.description.contains("nothing was recorded") == true)
    try FileManager.default.moveItem(
      at: folder.appending(path: "black.actual.png"), to: folder.appending(path: "black.png"))
    try screen.expect("black", in: folder.path)

    let view = View(frame: Rect(x: 4, y: 4, width: 8, height: 8))
    view.backgroundColor = .white
    screen.window.addSubview(view)
    let different = #expect(throws: ScreenDifference.self) { try screen.expect("black", in: folder.path) }

    #expect(different?.comparison?.differingPixelCount == 64)
    #expect(FileManager.default.fileExists(atPath: folder.appending(path: "black.difference.png").path))
    view.removeFromSuperview()
    try screen.expect("black", in: folder.path)
    #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "black.difference.png").path))
  }
}
