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
    for index in 0..<images {
      let pixels = ImageMaker.pixels(0)
      let rows = (0..<180).map { row in
        let start = ((index / 4 * 180 + row) * ImageMaker.width + index % 4 * 240) * 3
        return pixels[start..<start + 240 * 3]
      }
      let bytes = JPEGEncoder.bytes(Array(rows.joined()), width: 240, height: 180, quality: 85)
      server.add(Resource(body: bytes, contentType: "image/jpeg"), at: "/\(index).jpg")
    }
    return try ["newest", "lifo", "fifo"].flatMap { order in
      var runs: [[String: Double]] = []
      for _ in 0..<flings {
        runs.append(try ChildProcess(.fling, [server.baseURL, network, "\(order)"]).figures())
      }
      func samples(_ name: String) -> Samples { Samples(runs.map { $0[name] ?? .nan }) }
      return [
        Figure(
          "ratio_unseen_bytes_\(order)", samples("unseen_bytes"),
          label: "\(order): fraction of bytes never shown", aim: .atMost(0.1)),
        Figure(
          "ratio_unseen_pixels_\(order)", samples("unseen_pixels"), label: "  fraction of pixels never shown",
          aim: .atMost(0.1)),
        Figure("\(order)_bytes", samples("bytes"), label: "  all bytes"),
        Figure("\(order)_requests", samples("requests"), label: "  requests sent"),
        Figure("\(order)_shown", samples("shown"), label: "  images shown, of \(FlingRun.count)"),
        Figure("\(order)_late_frames", samples("late"), label: "  late frames"),
        Figure(
          "\(order)_settle_ms", samples("settle_ms"), label: "  from the end of the scroll to all loaded",
          unit: "ms"),
      ]
    }
  }
}
