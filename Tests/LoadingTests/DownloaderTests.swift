import Testing
import VitrineGraphics
import VitrineLoading
import VitrineTesting

@MainActor @Suite(.timeLimit(.minutes(1))) struct DownloaderTests {
  @Test("AF-D4 a picture is downloaded") func pictureIsDownloaded() async throws {
    let world = Fixture()

    let response = try await world.loaded(request())

    #expect(response.source == .network)
    #expect(response.http?.status == 200)
    #expect(response.image.pixelWidth == 64)
  }

  @Test("AF-D8 a memory hit is the identical image, without a response") func memoryHit() async throws {
    let world = Fixture()
    let first = try await world.loaded(request())

    let second = try await world.loaded(request())

    #expect(second.image === first.image)
    #expect(second.source == .memory)
    #expect(second.http == nil)
  }
}
