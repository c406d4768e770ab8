import Vitrine

/// Decodes an image of 2400x1800 in formats other than baseline JPEG to tiles of three sizes, on one thread, beside the
/// library of the format alone.
///
/// libjpeg-turbo decodes at the smallest sufficient scale; libpng reads all rows as four bytes per pixel without scaling
/// them; libwebp scales, or decodes in full where that is faster. The figures are processor time.
enum Formats {
  private static let warmUps = 1
  private static let sides = [64, 256, 1024]

  static func measure(_ options: Options) throws -> [Figure] {
    let set = try FormatSet()
    var figures: [Figure] = []
    for format in FormatCase.allCases {
      let bytes = try set.bytes(format)
      for side in sides { figures += try measure(format, bytes, side: side, runs: options.runs) }
    }
    return figures
  }

  private static func measure(
    _ format: FormatCase, _ bytes: [UInt8], side: Int, runs: Int
  ) throws -> [Figure] {
    let options = DecodeOptions(target: DecodeTarget(width: side, height: side), pixelFormat: .bgra)
    let image = try ImageCodecs().decode(bytes, options: options)
    let reference = FormatReference.decoder(
      of: format, bytes, for: (image.pixelWidth, image.pixelHeight))
    var (times, references): ([Double], [Double]) = ([], [])
    for index in 0..<warmUps + runs {
      let ours = try seconds { _ = try ImageCodecs().decode(bytes, options: options) }
      let theirs = try seconds {
        guard reference() else { throw BenchmarkError("\(format.rawValue) is not decoded") }
      }
      guard index >= warmUps else { continue }
      times.append(ours)
      references.append(theirs)
    }
    let name = "\(format.rawValue)_\(side)"
    var figures = [
      Figure(
        "ratio_" + name, Samples(zip(times, references).map { $0 / $1 }),
        label: "\(format.label) to \(side)x\(side): ratio", floor: .atMost(1.1), aim: .atMost(1)),
      Figure("time_\(name)_ms", Samples(times), factor: 1000),
      Figure("reference_\(name)_ms", Samples(references), factor: 1000),
    ]
    if format.isOpaque {
      let source = try ImageCodecs().decode(bytes, options: DecodeOptions(pixelFormat: .bgra))
      figures.append(
        Figure(
          "psnr_\(name)_db", TileQuality.best(Pixels(image.bitmap), of: Pixels(source.bitmap)),
          label: "\(format.label) to \(side)x\(side): quality", unit: "dB", floor: .atLeast(37)))
    }
    return figures
  }

  /// Returns the processor time of the calling thread.
  private static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = SystemCounters.threadCPU
    try body()
    return SystemCounters.threadCPU - start
  }
}
