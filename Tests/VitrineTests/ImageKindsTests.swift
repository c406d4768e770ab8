import FoundationEssentials
import Testing
import Vitrine
import VitrineGalleryServer

/// Images of each format, downloaded and decoded with the real transport and the real codecs.
@Suite(.timeLimit(.minutes(5))) struct ImageKindsTests {
  private let gallery = URL(filePath: #filePath).appending(path: "../../../Assets/gallery")
    .standardizedFileURL.path

  @Test(
    "SD-D15 a PNG is downloaded over the network and decoded, as is a JPEG",
    arguments: [ImageFormat.png, .jpeg])
  func imageIsDownloadedAndDecoded(format: ImageFormat) async throws {
    let name = format == .png ? "25-palm-island.png" : "01-first-light.jpg"
    let server = try GalleryServer(images: gallery)
    let downloader = ImageDownloader(transports: [CurlTransport()], decoder: ImageCodecs())
    let response = try await downloader.image(for: "\(server.baseURL)/gallery/\(name)")
    #expect(response.image.format == format)
    #expect(response.http?.status == 200)
    #expect(response.metrics?.requests == 1)
    await downloader.shutDown()
  }
}
