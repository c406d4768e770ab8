import FoundationEssentials

/// Downloads beside those of `curl --parallel` of the same width and protocol, run by run.
struct FetchComparison {
  /// How a run goes over the network.
  enum Wire: String, CaseIterable {
    /// HTTP/1.1 without TLS, and HTTP/2 with it.
    case http1, http2

    var name: String { self == .http1 ? "HTTP/1.1" : "HTTP/2 over TLS" }
    /// What the downloader does by default over HTTP/1.1, and what servers allow over HTTP/2.
    var width: Int { self == .http1 ? 6 : 100 }
  }

  /// Bytes of an object.
  static let size = 30_000

  let nginx: Nginx
  private let curl: CurlProgram

  init() throws {
    let place = ".build/bench/network"
    do {
      try FileManager.default.createDirectory(atPath: place + "/files", withIntermediateDirectories: true)
      try Data(Self.object).write(to: URL(filePath: place + "/files/object.jpg"))
    } catch {
      throw BenchmarkError("cannot write to \(place)")
    }
    curl = try CurlProgram(place: place)
    nginx = try Nginx(folder: place + "/files", place: place + "/nginx", isSecure: true)
  }

  /// Begins as a JPEG does.
  private static var object: [UInt8] {
    var random = RandomNumbers(seed: 5)
    return [0xFF, 0xD8, 0xFF, 0xE0]
      + (4..<size).map { _ in UInt8(truncatingIfNeeded: random.next() >> 24) }
  }

  /// The addresses of `count` objects, on `port` in place of nginx's own.
  func order(_ wire: Wire, count: Int, port: UInt16, counted: Bool = false) -> FetchRun.Order {
    let folder = counted ? "counted" : "gallery"
    let scheme = wire == .http1 ? "http" : "https"
    return FetchRun.Order(
      base: "\(scheme)://localhost:\(port)/\(folder)/object.jpg?number=", count: count, width: wire.width,
      authority: wire == .http1 ? nil : nginx.authority)
  }

  /// Figures whose keys begin with `wire`. What it takes counts when there is something to wait for.
  func measure(
    _ wire: Wire, _ order: FetchRun.Order, runs: Int, comparesCPU: Bool
  ) throws -> [Figure] {
    var ours: [[String: Double]] = []
    var theirs: [CurlProgram.Figures] = []
    // The first of each warms up.
    for index in 0...runs {
      let run = try ChildProcess(.fetch, order.arguments).figures()
      let reference = try curl.fetch(order.urls, width: order.width, authority: order.authority)
      guard index > 0 else { continue }
      ours.append(run)
      theirs.append(reference)
    }
    func samples(_ name: String) -> Samples { Samples(ours.map { $0[name] ?? .nan }) }
    func ratio(_ name: String, _ reference: (CurlProgram.Figures) -> Double) -> Samples {
      Samples(zip(ours, theirs).map { ($0[name] ?? .nan) / reference($1) })
    }
    let bound = comparesCPU ? Figure.Bound.atMost(1.1) : nil
    return [
      Figure("\(wire)_s", samples("wall_s"), label: "\(wire.name), \(order.width) at once", unit: "s"),
      Figure("\(wire)_curl_s", Samples(theirs.map(\.wall)), label: "  curl --parallel", unit: "s"),
      Figure(
        "ratio_curl_\(wire)", ratio("wall_s", \.wall), label: "  ratio, run by run", aim: .atMost(1.1)),
      Figure("\(wire)_cpu_s", samples("cpu_s"), label: "  processor time", unit: "s"),
      Figure(
        "\(wire)_curl_cpu_s", Samples(theirs.map(\.cpu)), label: "  processor time of curl", unit: "s"),
      Figure(
        "ratio_curl_cpu_\(wire)", ratio("cpu_s", \.cpu), label: "  ratio of that", aim: bound),
      Figure("\(wire)_connections", samples("connections"), label: "  connections"),
    ]
  }
}
