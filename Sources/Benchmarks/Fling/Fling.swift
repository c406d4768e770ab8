import VitrineGalleryServer

/// Flings a grid past two thousand images. Measures how much was loaded for images that were never shown.
enum Fling {
  private static let flings = 5
  private static let images = 16
  /// The simulated network: 50 ms to the first byte of an image, then 250 kB per second.
  private static let network = "latency=50&rate=250000"

  static func measure(_ options: Options) throws -> [Figure] {
    let server = try GalleryServer()
    defer { server.stop() }
    let pixels = ImageMaker.pixels(0)
    for index in 0..<images {
      let bytes = JPEGEncoder.bytes(
        ofPart: pixels, x: index % 4 * 240, y: index / 4 * 180, width: 240, height: 180)
      server.add(Resource(body: bytes, contentType: "image/jpeg"), at: "/\(index).jpg")
    }
    return try ["newest", "lifo", "fifo"].flatMap { order in
      let runs = try ChildProcess.figures(.fling, [server.baseURL, network, order], runs: flings)
      return [
        Figure(
          "ratio_unseen_bytes_\(order)", runs.samples("unseen_bytes"),
          label: "\(order): fraction of bytes never shown", aim: .atMost(0.1)),
        Figure(
          "ratio_unseen_pixels_\(order)", runs.samples("unseen_pixels"),
          label: "  fraction of pixels never shown", aim: .atMost(0.1)),
        Figure("\(order)_bytes", runs.samples("bytes"), label: "  all bytes"),
        Figure("\(order)_requests", runs.samples("requests"), label: "  requests sent"),
        Figure("\(order)_shown", runs.samples("shown"), label: "  images shown, of \(FlingRun.count)"),
        Figure("\(order)_late_frames", runs.samples("late"), label: "  late frames"),
        Figure(
          "\(order)_settle_ms", runs.samples("settle_ms"),
          label: "  from the end of the scroll to all loaded", unit: "ms"),
      ]
    }
  }
}
