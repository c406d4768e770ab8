import FoundationEssentials
import Testing
import Vitrine
import VitrineGalleryServer
import VitrineTesting

/// Live images from a server on this machine, with the real transport and the real codecs.
@Suite(.timeLimit(.minutes(5))) @MainActor struct LiveImageTests {
  private let gallery = URL(filePath: #filePath).appending(path: "../../../Assets/gallery")
    .standardizedFileURL.path

  /// The images and events of a stream.
  @MainActor private final class Screen {
    var images: [Image] = []
    var events: [LiveImageStream.Event] = []
    let clock = ManualLoadingClock()
    let server: GalleryServer
    let downloader: ImageDownloader

    init(_ server: GalleryServer) {
      self.server = server
      var configuration = ImageDownloader.Configuration()
      configuration.environment.clock = clock
      downloader = ImageDownloader(
        configuration: configuration, transports: [CurlTransport()], decoder: ImageCodecs())
    }

    func stream(_ target: String, options: LiveImageStream.Options = .init()) -> LiveImageStream {
      downloader.liveImages(
        server.baseURL + target, target: DecodeTarget(width: 160, height: 120), options: options,
        onFrame: { [weak self] in self?.images.append($0) },
        onEvent: { [weak self] in self?.events.append($0) })
    }
  }

  @Test(arguments: ["", "&lengths=0", "&rate=4000000"])
  func framesOfTheServerAreShown(query: String) async throws {
    let screen = Screen(try GalleryServer(images: gallery))
    let stream = screen.stream("/live/gallery.mjpeg?fps=20" + query)

    try await until { screen.images.count >= 5 }

    #expect(screen.images.allSatisfy { $0.pixelWidth < $0.sourceWidth })
    #expect(screen.events == [.playing])
    #expect(screen.server.log.count == 1)
    stream.cancel()
    try await until { screen.server.log.first?.outcome == .abandoned }
  }

  @Test func pausedStreamDisconnectsAndContinuesLater() async throws {
    let screen = Screen(try GalleryServer(images: gallery))
    let stream = screen.stream("/live/gallery.mjpeg?fps=20")
    try await until { !screen.images.isEmpty }

    stream.pause()
    try await until { screen.server.log.first?.outcome == .abandoned }
    let count = screen.images.count
    stream.resume()

    try await until { screen.images.count > count }
    #expect(screen.server.log.count == 2)
    #expect(stream.statistics.reconnects == 0)
  }

  @Test func endedAndSilentStreamsAreRequestedAgain() async throws {
    let screen = Screen(try GalleryServer(images: gallery))
    let stream = screen.stream("/live/gallery.mjpeg?fps=60&parts=1")
    // If the connection ends before its only frame is decoded, the stream does not count as playing.
    try await until { screen.images.count == 1 && screen.events.last == .interrupted(nil, retryDelay: 1) }
    #expect(screen.events.count == 1 || screen.events == [.playing, .interrupted(nil, retryDelay: 1)])

    screen.clock.advance(by: 1)
    try await until { screen.images.count == 2 }
    stream.cancel()

    let silent = screen.stream("/live/gallery.mjpeg?fps=60&parts=1&hang=1")
    try await until { screen.images.count == 3 }
    screen.clock.advance(by: 10)
    try await until { screen.events.last == .interrupted(.timedOut(.stall(seconds: 10)), retryDelay: 1) }
    screen.clock.advance(by: 1)
    try await until { screen.server.log.count == 4 }
    #expect(silent.statistics.reconnects == 1)
    #expect(!silent.hasEnded)
  }

  @Test func snapshotIsPolled() async throws {
    let screen = Screen(try GalleryServer(images: gallery))
    let stream = screen.stream("/gallery/01-first-light.jpg", options: .init(refreshInterval: 2))
    for count in 1...3 {
      try await until { screen.images.count == count && screen.server.log.last?.wasFinished == true }
      // Earlier limits of the stream may still be scheduled.
      try await until { screen.clock.wakes.contains(screen.clock.now + 2_000_000_000) }
      screen.clock.advance(by: 2)
      try await until { screen.server.log.count == count + 1 }
    }

    #expect(!stream.hasEnded)
    #expect(screen.events == [.playing])
  }
}
