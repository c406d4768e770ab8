import FoundationEssentials

/// Compares the downloader with `curl --parallel` at equal concurrency and protocol, run by run.
struct FetchComparison {
  /// The protocol of a run.
  enum Wire: String, CaseIterable {
    /// HTTP/1.1 without TLS, and HTTP/2 over TLS.
    case http1, http2

    var name: String { self == .http1 ? "HTTP/1.1" : "HTTP/2 over TLS" }
    /// The number of concurrent transfers: the downloader's default over HTTP/1.1, and a usual server limit over
    /// HTTP/2.
    var width: Int { self == .http1 ? 6 : 100 }
  }

  /// The size of an object in bytes.
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

  /// The contents of an object: random bytes that begin like a JPEG.
  private static var object: [UInt8] {
    var random = RandomNumbers(seed: 5)
    return [0xFF, 0xD8, 0xFF, 0xE0]
      + (4..<size).map { _ in UInt8(truncatingIfNeeded: random.next() >> 24) }
  }

  /// Returns an order for `count` objects on `port`, which may belong to a proxy in front of nginx.
  func order(_ wire: Wire, count: Int, port: UInt16, counted: Bool = false) -> FetchRun.Order {
    let folder = counted ? "counted" : "gallery"
    let scheme = wire == .http1 ? "http" : "https"
    return FetchRun.Order(
      base: "\(scheme)://localhost:\(port)/\(folder)/object.jpg?number=", count: count, width: wire.width,
      authority: wire == .http1 ? nil : nginx.authority)
  }

  /// Returns figures whose keys begin with the name of `wire`. If `comparesCPU` is true, the ratio of processor times
  /// has an aim as well.
  func measure(
    _ wire: Wire, _ order: FetchRun.Order, runs: Int, comparesCPU: Bool
  ) throws -> [Figure] {
    var ours: [[String: Double]] = []
    var theirs: [CurlProgram.Figures] = []
    // The first run of each warms up.
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
