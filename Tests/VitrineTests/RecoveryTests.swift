import FoundationEssentials
import Testing
import Vitrine
import VitrineGalleryServer
import VitrineTesting

/// A panel that is switched on before its server, with the real transport, the real codecs and a manual clock.
@Suite(.timeLimit(.minutes(5))) @MainActor struct RecoveryTests {
  private let gallery = URL(filePath: #filePath).appending(path: "../../../Assets/gallery")
    .standardizedFileURL.path

  @Test func imagesAppearAfterTheirServerIsStarted() async throws {
    let port = try portThatNothingListensOn()
    let clock = ManualLoadingClock()
    var configuration = ImageDownloader.Configuration()
    configuration.environment.clock = clock
    configuration.retries = .none
    let downloader = ImageDownloader(
      configuration: configuration, transports: [CurlTransport()], decoder: ImageCodecs())
    let window = Window(size: Size(width: 400, height: 300))
    var failures = 0
    let views = (0..<12).map { number in
      let view = ImageView(
        frame: Rect(x: Double(number % 4) * 100, y: Double(number / 4) * 100, width: 100, height: 100))
      window.addSubview(view)
      view.setImage(
        from: "http://127.0.0.1:\(port)/gallery/01-first-light.jpg?number=\(number)",
        options: SlotOptions(downloader: downloader)
      ) { result in
        if case .failure = result { failures += 1 }
      }
      return view
    }
    try await until { failures == 12 }
    #expect(window.isLoaded)
    let server = try GalleryServer(images: gallery, port: port)
    defer { server.stop() }

    clock.advance(by: 2)
    try await until { views.allSatisfy { $0.image != nil } }

    #expect(failures == 12, "no completion is called again")
    #expect(server.log.count == 12)
    #expect(clock.wakes.isEmpty)
  }

  private func portThatNothingListensOn() throws -> UInt16 {
    let server = try GalleryServer()
    defer { server.stop() }
    return server.port
  }
}
