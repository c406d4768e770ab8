import Synchronization
import Vitrine

/// Loads 40 photographs of 12 megapixels into tiles of 160x120, beside libjpeg-turbo alone, which decodes the same bytes
/// from memory to an eighth of the size on the same cores.
///
/// The main figure is the whole way over loopback HTTP, as in `first-screen`: about a fifth of its processor time is for
/// passing the files through the kernel and libcurl, so that the figure still is one of decoding. The decoder alone,
/// with bytes in memory as libjpeg-turbo has them, is a figure of its own. Of the programs beside it, vipsthumbnail reads
/// files that are in the page cache, and SDL_image has the bytes in memory.
enum Photos {
  private static let warmUps = 1
  private static let tile = (width: 160, height: 120)
  /// The number of runs of the other programs, whose figures need less precision.
  private static let peerRuns = 3

  private typealias Times = (seconds: Double, cpu: Double)

  static func measure(_ options: Options) throws -> [Figure] {
    let photos = try PhotoSet()
    let bytes = try photos.bytes()
    let server = try ImageServer(options.server, folder: photos.folder)
    let arguments = FirstScreenRun.arguments(
      server, count: PhotoSet.count, width: tile.width, height: tile.height)
    var (loads, decodes, references): ([Times], [Times], [Times]) = ([], [], [])
    var peak: [Double] = []
    for index in 0..<warmUps + options.runs {
      let run = try ChildProcess(.firstScreen, arguments).figures()
      let reference = TurboReference.measure(bytes, width: tile.width, height: tile.height)
      let decode = decode(bytes)
      guard index >= warmUps else { continue }
      loads.append((run["loaded_s"] ?? .nan, run["cpu_s"] ?? .nan))
      peak.append((run["peak_rss_bytes"] ?? .nan) - (run["baseline_rss_bytes"] ?? .nan))
      references.append(reference)
      decodes.append(decode)
    }
    let megabytes = Double(bytes.reduce(0) { $0 + $1.count }) / Double(bytes.count) / 1e6
    var figures = [
      Figure(
        "median_s", Samples(loads.map(\.seconds)), label: "first request to all loaded, over HTTP", unit: "s"),
      Figure(
        "reference_s", Samples(references.map(\.seconds)), label: "libjpeg-turbo at 1/8, bytes in memory",
        unit: "s"),
      Figure(
        "ratio_libjpeg_turbo", ratio(loads, references, \.seconds), label: "ratio, pair by pair",
        floor: .atMost(1), aim: .atMost(0.7)),
      Figure(
        "ratio_libjpeg_turbo_cpu", ratio(loads, references, \.cpu), label: "ratio of processor time"),
      Figure("decode_s", Samples(decodes.map(\.seconds)), label: "the decoder alone", unit: "s"),
      Figure(
        "ratio_libjpeg_turbo_decode", ratio(decodes, references, \.seconds),
        label: "ratio of the decoder alone", floor: .atMost(1), aim: .atMost(0.7)),
      Figure(
        "ratio_libjpeg_turbo_decode_cpu", ratio(decodes, references, \.cpu),
        label: "ratio of its processor time"),
      Figure(
        "above_baseline_mb", Samples(peak), label: "memory above the baseline", unit: "MB", factor: 1e-6),
    ]
    figures += quality(bytes)
    figures += try vips(photos, bytes)
    figures += try sdl(bytes)
    return figures + [Figure("image_mb", megabytes, label: "mean size of a photograph", unit: "MB")]
  }

  private static func ratio(
    _ ours: [Times], _ theirs: [Times], _ time: KeyPath<Times, Double>
  ) -> Samples {
    Samples(zip(ours, theirs).map { $0[keyPath: time] / $1[keyPath: time] })
  }

  private static let decodeOptions = DecodeOptions(
    target: DecodeTarget(width: tile.width, height: tile.height), pixelFormat: .bgra)

  /// Decodes all images from memory on all cores.
  private static func decode(_ images: [[UInt8]]) -> Times {
    let start = SystemCounters.time
    let cpu = SystemCounters.processCPU
    onAllCores(count: images.count) { _ = try? ImageCodecs().decode(images[$0], options: decodeOptions) }
    return (SystemCounters.time - start, SystemCounters.processCPU - cpu)
  }

  private static func quality(_ images: [[UInt8]]) -> [Figure] {
    let ratios = Mutex<[Double]>([])
    onAllCores(count: images.count) { index in
      let upright = CameraExif.upright(images[index])
      guard let source = TurboReference.decode(upright),
        let image = try? ImageCodecs().decode(upright, options: decodeOptions)
      else { return }
      let psnr = TileQuality.best(Pixels(image.bitmap), of: source)
      ratios.withLock { $0.append(psnr) }
    }
    let found = ratios.withLock { $0.count == images.count ? $0 : [.nan] }
    return [
      Figure("psnr_db", Samples(found).mean, label: "quality, mean", unit: "dB", floor: .atLeast(37)),
      Figure("psnr_worst_db", Samples(found).min, label: "quality, worst", unit: "dB"),
    ]
  }

  // MARK: Other programs

  private static func vips(_ photos: PhotoSet, _ bytes: [[UInt8]]) throws -> [Figure] {
    do {
      let program = try VipsThumbnail(photos.paths)
      return try peer("vipsthumbnail", key: "vips", bytes, aim: nil) {
        try program.measure(width: tile.width, height: tile.height)
      }
    } catch let error as NotMeasurable {
      return [.missing("ratio_vips", reason: error.reason)]
    }
  }

  private static func sdl(_ bytes: [[UInt8]]) throws -> [Figure] {
    do {
      return try peer("SDL_image", key: "sdl_image", bytes, aim: .atMost(0.2)) {
        try SDLImageReference.measure(bytes, width: tile.width, height: tile.height)
      }
    } catch let error as NotMeasurable {
      return [.missing("ratio_sdl_image", reason: error.reason)]
    }
  }

  /// Measures another program and the decoder in turn.
  private static func peer(
    _ name: String, key: String, _ bytes: [[UInt8]], aim: Figure.Bound?, _ measure: () throws -> Times
  ) throws -> [Figure] {
    var (decodes, peers): ([Times], [Times]) = ([], [])
    for index in 0..<warmUps + peerRuns {
      let peer = try measure()
      let decode = decode(bytes)
      guard index >= warmUps else { continue }
      peers.append(peer)
      decodes.append(decode)
    }
    return [
      Figure(key + "_s", Samples(peers.map(\.seconds)), label: name, unit: "s"),
      Figure(
        "ratio_" + key, ratio(decodes, peers, \.seconds), label: "the decoder's ratio to \(name)", aim: aim),
      Figure(
        "ratio_\(key)_cpu", ratio(decodes, peers, \.cpu), label: "ratio of processor time to \(name)"),
    ]
  }
}
