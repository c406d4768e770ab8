import FoundationEssentials
import Testing
import Vitrine
import VitrineGalleryServer

/// Pictures of each kind, from a server to an image, with all that the library brings.
@Suite(.timeLimit(.minutes(1))) struct PictureKindsTests {
  private let gallery = URL(filePath: #filePath).appending(path: "../../../Assets/gallery")
    .standardizedFileURL.path

  @Test(
    "SD-D15 a PNG comes over the network and is decoded, as is a JPEG", arguments: [ImageFormat.png, .jpeg])
  func pictureComesOverTheNetwork(format: ImageFormat) async throws {
    let name = format == .png ? "25-palm-island.png" : "01-first-light.jpg"
    let server = try GalleryServer(pictures: gallery)
    let downloader = ImageDownloader(transports: [CurlTransport()], decoder: ImageCodecs())
    let response = try await downloader.image(for: "\(server.baseURL)/gallery/\(name)")
    #expect(response.image.format == format)
    #expect(response.http?.status == 200)
    #expect(response.metrics?.requests == 1)
    await downloader.shutDown()
  }
}
