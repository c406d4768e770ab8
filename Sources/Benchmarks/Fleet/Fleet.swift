import Glibc
import VitrineGalleryServer

/// 500 displays that show the same images behind nginx, started at the same moment, and once more after the images have
/// become stale: requests that reach the origin.
enum Fleet {
  private static let displays = 500
  private static let images = 40
  private static let runs = 3

  static func measure(_ options: Options) throws -> [Figure] {
    var first: [[String: Double]] = []
    var stale: [[String: Double]] = []
    for _ in 0..<runs {
      let (cold, later) = try ScratchFolder.use("fleet") { try run(folder: $0) }
      first.append(cold)
      stale.append(later)
    }
    return [
      Figure(
        "ratio_origin", first.samples("ratio"),
        label: "requests at the origin ÷ images, \(displays) displays at once", floor: .atMost(1),
        aim: .atMost(1)),
      Figure("origin_requests", first.samples("origin"), label: "  requests at the origin"),
      Figure("display_requests", first.samples("requests"), label: "  requests of the displays"),
      Figure("displays_s", first.samples("wall_s"), label: "  until all displays have all images", unit: "s"),
      Figure(
        "ratio_origin_stale", stale.samples("ratio"),
        label: "the same with stale images, for each lifetime that passes"),
      Figure("stale_conditional", stale.samples("conditional"), label: "  of them conditional requests"),
      Figure(
        "stale_bytes", stale.samples("bytes"), label: "  bytes of images that the origin sends", unit: "MB",
        factor: 1e-6),
    ]
  }

  private static func run(
    folder: String
  ) throws -> (first: [String: Double], stale: [String: Double]) {
    let origin = try origin()
    defer { origin.stop() }
    let proxy = try FleetProxy(folder: folder, originPort: origin.port)
    var job = FleetRun.Job(
      base: proxy.baseURL, query: "", images: Self.images, displays: displays)
    var first = try ChildProcess(.fleet, job.arguments).figures()
    first["origin"] = Double(origin.log.count)
    first["ratio"] = Double(origin.log.count) / Double(Self.images)

    // Responses with a lifetime of a second are stored by one display, and are stale for all others.
    job.query = "?maxage=1"
    job.displays = 1
    _ = try ChildProcess(.fleet, job.arguments).figures()
    usleep(1_500_000)
    origin.clearLog()
    job.displays = displays
    var stale = try ChildProcess(.fleet, job.arguments).figures()
    let log = origin.log
    // Each image may be revalidated at the beginning and once in each second of the run.
    let lifetimes = 1 + (stale["wall_s"] ?? 0).rounded(.down)
    stale["ratio"] = Double(log.count) / Double(Self.images) / lifetimes
    stale["conditional"] = Double(log.count { $0.status == 304 })
    stale["bytes"] = Double(log.reduce(0) { $0 + $1.bodyBytesSent })
    return (first, stale)
  }

  /// Starts a server of images, whose bytes are random and begin like a JPEG.
  private static func origin() throws -> GalleryServer {
    let server = try GalleryServer()
    for index in 0..<images {
      var random = RandomNumbers(seed: index)
      let body =
        [0xFF, 0xD8, 0xFF, 0xE0]
        + (4..<FetchComparison.size).map { _ in UInt8(truncatingIfNeeded: random.next() >> 24) }
      server.add(
        Resource(
          body: body, contentType: "image/jpeg",
          headers: ["ETag": "\"\(index)\"", "Cache-Control": "max-age=3600"]),
        at: "/" + ImageSet.name(index))
    }
    return server
  }
}
