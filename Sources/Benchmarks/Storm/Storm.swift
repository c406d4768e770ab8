import VitrineGalleryServer

/// A hundred thousand loads that are cancelled immediately after the start.
enum Storm {
  private static let runs = 3

  static func measure(_ options: Options) throws -> [Figure] {
    let server = try GalleryServer()
    defer { server.stop() }
    server.add(Resource(body: [0xFF, 0xD8, 0xFF], contentType: "image/jpeg"), at: "/slow.jpg")
    return try [1, 8].flatMap { threads in
      var figures: [[String: Double]] = []
      var connections: [Double] = []
      for _ in 0..<runs {
        let before = server.connectionCount
        figures.append(
          try ChildProcess(.storm, [server.baseURL + "/slow.jpg?latency=10000", "\(threads)"]).figures())
        connections.append(Double(server.connectionCount - before))
      }
      let key = threads == 1 ? "one" : "eight"
      return [
        Figure(
          "\(key)_us", figures.samples("pair_us"),
          label: "start and cancellation, \(threads) thread\(threads > 1 ? "s" : "")", unit: "µs"),
        Figure(
          "\(key)_cpu_us", figures.samples("cpu_us"), label: "  processor time of all threads", unit: "µs"),
        Figure(
          "\(key)_allocations", figures.samples("allocations"), label: "  allocations of the calling thread"),
        Figure(
          "\(key)_growth_mb", figures.samples("growth_mb"), label: "  growth of the process", unit: "MB"),
        Figure("\(key)_connections", Samples(connections), label: "  opened connections, of 110,000 loads"),
        Figure(
          "\(key)_unheard", figures.samples("unheard"), label: "  loads without a result", floor: .atMost(0),
          aim: .atMost(0)),
      ]
    }
  }
}
