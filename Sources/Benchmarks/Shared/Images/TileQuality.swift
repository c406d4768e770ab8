import Glibc

/// Compares tiles with the ideal result: all pixels decoded, then scaled down in double precision by an area filter or
/// by Lanczos3.
enum TileQuality {
  enum Filter: CaseIterable { case area, lanczos }

  /// The part of an image that a tile shows, in pixels of the image.
  struct Part {
    var x, y, width, height: Double
  }

  /// Returns the peak signal-to-noise ratio over red, green and blue in decibels; 99 for equal images.
  static func psnr(_ tile: Pixels, of source: Pixels, part: Part, _ filter: Filter) -> Double {
    let best = shrunk(source, part, width: tile.width, height: tile.height, filter)
    var sum = 0.0
    for pixel in 0..<tile.width * tile.height {
      for channel in 0..<3 {
        // A decoded image has only whole values from 0 to 255.
        let ideal = min(255, max(0, best[pixel * 3 + channel])).rounded()
        let difference = Double(tile.bytes[pixel * 4 + channel]) - ideal
        sum += difference * difference
      }
    }
    let error = sum / Double(tile.width * tile.height * 3)
    return error == 0 ? 99 : 10 * log10(255 * 255 / error)
  }

  /// Returns the peak signal-to-noise ratio of a tile that covers the whole image, with the nearer of both filters. The
  /// tile may exceed the image by less than a pixel at each edge.
  static func best(_ tile: Pixels, of source: Pixels) -> Double {
    let (width, height) = (Double(source.width), Double(source.height))
    // The side that has a whole number of pixels determines the scale.
    let scale = max(width / Double(tile.width), height / Double(tile.height))
    let exceeds = (
      abs(Double(tile.width) * scale - width) < 2 * scale,
      abs(Double(tile.height) * scale - height) < 2 * scale
    )
    precondition(exceeds.0 && exceeds.1, "a tile of the whole image")
    let part = Part(
      x: (width - Double(tile.width) * scale) / 2, y: (height - Double(tile.height) * scale) / 2,
      width: Double(tile.width) * scale, height: Double(tile.height) * scale)
    return Filter.allCases.map { psnr(tile, of: source, part: part, $0) }.max() ?? .nan
  }

  /// Returns the scaled image with three values per pixel, in the order of the source's bytes.
  private static func shrunk(
    _ source: Pixels, _ part: Part, width: Int, height: Int, _ filter: Filter
  ) -> [Double] {
    let columns = (0..<width).map { taps($0, part.x, part.width / Double(width), source.width, filter) }
    let rows = (0..<height).map { taps($0, part.y, part.height / Double(height), source.height, filter) }
    var narrow = [Double](repeating: 0, count: width * source.height * 3)
    source.bytes.withUnsafeBufferPointer { bytes in
      for y in 0..<source.height {
        for x in 0..<width {
          var sum = (0.0, 0.0, 0.0)
          var index = (y * source.width + columns[x].first) * 4
          for weight in columns[x].weights {
            sum.0 += weight * Double(bytes[index])
            sum.1 += weight * Double(bytes[index + 1])
            sum.2 += weight * Double(bytes[index + 2])
            index += 4
          }
          let target = (y * width + x) * 3
          (narrow[target], narrow[target + 1], narrow[target + 2]) = sum
        }
      }
    }
    var result = [Double](repeating: 0, count: width * height * 3)
    for y in 0..<height {
      for (index, weight) in rows[y].weights.enumerated() {
        let line = (rows[y].first + index) * width * 3
        for column in 0..<width * 3 { result[y * width * 3 + column] += weight * narrow[line + column] }
      }
    }
    return result
  }

  /// Returns the range of source pixels that contribute to a pixel of the result, and their weights.
  private static func taps(
    _ index: Int, _ start: Double, _ step: Double, _ limit: Int, _ filter: Filter
  ) -> (first: Int, weights: [Double]) {
    let center = start + (Double(index) + 0.5) * step
    let radius = filter == .area ? step / 2 : 3 * step
    let first = max(0, Int((center - radius).rounded(.down)))
    let end = min(limit, Int((center + radius).rounded(.up)))
    let weights = (first..<end).map { pixel -> Double in
      switch filter {
      case .area: max(0, min(Double(pixel + 1), center + radius) - max(Double(pixel), center - radius))
      case .lanczos: lanczos((Double(pixel) + 0.5 - center) / step)
      }
    }
    let sum = weights.reduce(0, +)
    return (first, weights.map { $0 / sum })
  }

  private static func lanczos(_ x: Double) -> Double {
    guard abs(x) > 1e-9 else { return 1 }
    guard abs(x) < 3 else { return 0 }
    let angle = Double.pi * x
    return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
  }
}
