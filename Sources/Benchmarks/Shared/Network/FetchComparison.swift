import FoundationEssentials

/// Compares the downloader with `curl --parallel` at equal concurrency and protocol, run by run.
struct FetchComparison {
  /// The protocol of a run.
  enum HTTPVersion: String, CaseIterable {
    /// HTTP/1.1 without TLS, and HTTP/2 over TLS.
    case http1, http2

    var name: String { self == .http1 ? "HTTP/1.1" : "HTTP/2 over TLS" }
    /// The number of concurrent transfers: the downloader's default over HTTP/1.1, and a usual server limit over
    /// HTTP/2.
    var concurrency: Int { self == .http1 ? 6 : 100 }
  }

  /// The size of an object in bytes.
  static let size = 30_000

  let nginx: Nginx
  private let curl: CurlProgram

  init() throws {
    let networkFolder = ".build/bench/network"
    do {
      try FileManager.default.createDirectory(
        atPath: networkFolder + "/files", withIntermediateDirectories: true)
      try Data(Self.object).write(to: URL(filePath: networkFolder + "/files/object.jpg"))
    } catch {
      throw BenchmarkError("cannot write to \(networkFolder)")
    }
    curl = try CurlProgram(folder: networkFolder)
    nginx = try Nginx(
      folder: networkFolder + "/files", workingFolder: networkFolder + "/nginx", isSecure: true)
  }

  /// The contents of an object: random bytes that begin like a JPEG.
  private static var object: [UInt8] {
    var random = RandomNumbers(seed: 5)
    return [0xFF, 0xD8, 0xFF, 0xE0]
      + (4..<size).map { _ in UInt8(truncatingIfNeeded: random.next() >> 24) }
  }

  /// Returns a job that loads `count` objects on `port`, which may belong to a proxy in front of nginx.
  func job(_ version: HTTPVersion, count: Int, port: UInt16, counted: Bool = false) -> FetchRun.Job {
    let folder = counted ? "counted" : "gallery"
    let scheme = version == .http1 ? "http" : "https"
    return FetchRun.Job(
      base: "\(scheme)://localhost:\(port)/\(folder)/object.jpg?number=", count: count,
      concurrency: version.concurrency, authority: version == .http1 ? nil : nginx.authority)
  }

  /// Returns figures whose keys begin with the name of `version`. If `comparesCPU` is true, the processor decides
  /// about the time, and the ratio has a floor.
  func measure(
    _ version: HTTPVersion, _ job: FetchRun.Job, runs: Int, comparesCPU: Bool
  ) throws -> [Figure] {
    var ownFigures: [[String: Double]] = []
    var curlFigures: [CurlProgram.Figures] = []
    // The first run of each warms up.
    for index in 0...runs {
      let run = try ChildProcess(.fetch, job.arguments).figures()
      let curlRun = try curl.fetch(job.urls, concurrency: job.concurrency, authority: job.authority)
      guard index > 0 else { continue }
      ownFigures.append(run)
      curlFigures.append(curlRun)
    }
    func ratio(_ name: String, _ figure: (CurlProgram.Figures) -> Double) -> Samples {
      Samples(zip(ownFigures.values(name), curlFigures).map { $0 / figure($1) })
    }
    // With a long round trip, the network takes most of the time.
    let floor = comparesCPU ? Figure.Bound.atMost(1.6) : nil
    let aim = Figure.Bound.atMost(comparesCPU ? 1.2 : 1.1)
    return [
      Figure(
        "\(version)_s", ownFigures.samples("wall_s"), label: "\(version.name), \(job.concurrency) at once",
        unit: "s"),
      Figure("\(version)_curl_s", Samples(curlFigures.map(\.wall)), label: "  curl --parallel", unit: "s"),
      Figure(
        "ratio_curl_\(version)", ratio("wall_s", \.wall), label: "  ratio, run by run", floor: floor, aim: aim
      ),
      Figure("\(version)_cpu_s", ownFigures.samples("cpu_s"), label: "  processor time", unit: "s"),
      Figure(
        "\(version)_curl_cpu_s", Samples(curlFigures.map(\.cpu)), label: "  processor time of curl",
        unit: "s"),
      Figure(
        "ratio_curl_cpu_\(version)", ratio("cpu_s", \.cpu), label: "  ratio of processor time"),
      Figure("\(version)_connections", ownFigures.samples("connections"), label: "  connections"),
    ]
  }
}
