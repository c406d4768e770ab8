import VitrineGraphics

/// A palette of up to 255 colors for a bitmap, and the palette index of each pixel.
///
/// A bitmap with at most 255 colors keeps them exactly. Otherwise the colors are reduced to five bits per channel and
/// divided by median cut along the widest channel (Heckbert, 1982) until there are 255 groups.
struct GIFPalette {
  /// The index of pixels that are more than half transparent.
  static let transparentIndex: UInt8 = 255
  private static let colorLimit = 255

  /// The red, green and blue components of 256 entries.
  private(set) var table: [UInt8]
  private(set) var indices: [UInt8] = []
  private(set) var hasTransparency = false

  init(_ bitmap: Bitmap) {
    table = []
    let colors = Self.colors(bitmap)
    var exact: [UInt32: UInt8] = [:]
    for color in colors.compactMap({ $0 }) where exact[color] == nil {
      guard exact.count < Self.colorLimit else {
        exact = [:]
        break
      }
      exact[color] = UInt8(exact.count)
    }
    if exact.isEmpty {
      (table, exact) = Self.divided(colors)
      indices = colors.map { $0.map { exact[Self.coarse($0)] ?? 0 } ?? Self.transparentIndex }
    } else {
      table = exact.sorted { $0.value < $1.value }.flatMap { Self.channels($0.key) }
      indices = colors.map { $0.map { exact[$0] ?? 0 } ?? Self.transparentIndex }
    }
    hasTransparency = colors.contains(nil)
    table += [UInt8](repeating: 0, count: 256 * 3 - table.count)
  }

  /// The color of each pixel as 0xRRGGBB; nil for a transparent pixel.
  private static func colors(_ bitmap: Bitmap) -> [UInt32?] {
    let red = bitmap.format == .rgba ? 0 : 2
    return bitmap.withUnsafeBytes { pixels in
      stride(from: 0, to: bitmap.byteCount, by: PixelFormat.bytesPerPixel).map { start in
        guard bitmap.isOpaque || pixels[start + 3] >= 128 else { return nil }
        return UInt32(pixels[start + red]) << 16 | UInt32(pixels[start + 1]) << 8
          | UInt32(pixels[start + 2 - red])
      }
    }
  }

  private static func channels(_ color: UInt32) -> [UInt8] {
    [UInt8(color >> 16), UInt8(color >> 8 & 0xFF), UInt8(color & 0xFF)]
  }

  /// Reduces a color to five bits per channel.
  private static func coarse(_ color: UInt32) -> UInt32 { color & 0xF8F8F8 }

  private struct Group {
    let colors: [(color: UInt32, count: Int)]
    /// The channel with the widest range of values, and the width of this range.
    private(set) var widest: (shift: UInt32, width: UInt32) = (0, 0)

    init(_ colors: [(color: UInt32, count: Int)]) {
      self.colors = colors
      for shift in [UInt32(16), 8, 0] {
        var (least, greatest) = (UInt32.max, UInt32.min)
        for (color, _) in colors {
          let value = color >> shift & 0xFF
          if value < least { least = value }
          if value > greatest { greatest = value }
        }
        if greatest > least, greatest - least > widest.width { widest = (shift, greatest - least) }
      }
    }

    /// The mean color, weighted by the number of pixels of each color.
    var mean: [UInt8] {
      let total = max(1, colors.reduce(0) { $0 + $1.count })
      // The center of the range of values that a reduced color represents.
      return [UInt32(16), 8, 0].map { shift in
        UInt8(clamping: colors.reduce(0) { $0 + (Int($1.color >> shift & 0xFF) + 4) * $1.count } / total)
      }
    }
  }

  private static func divided(_ colors: [UInt32?]) -> (table: [UInt8], indices: [UInt32: UInt8]) {
    var counts: [UInt32: Int] = [:]
    for color in colors.lazy.compactMap({ $0 }) { counts[coarse(color), default: 0] += 1 }
    var groups = [Group(counts.sorted { $0.key < $1.key }.map { (color: $0.key, count: $0.value) })]
    while groups.count < colorLimit {
      // A group of one color cannot be divided.
      var next = 0
      for index in groups.indices where groups[index].widest.width > groups[next].widest.width {
        next = index
      }
      let shift = groups[next].widest.shift
      guard groups[next].widest.width > 0 else { break }
      let sorted = groups[next].colors.sorted {
        ($0.color >> shift & 0xFF, $0.color) < ($1.color >> shift & 0xFF, $1.color)
      }
      groups[next] = Group(Array(sorted[..<(sorted.count / 2)]))
      groups.append(Group(Array(sorted[(sorted.count / 2)...])))
    }
    var indices: [UInt32: UInt8] = [:]
    for (index, group) in groups.enumerated() {
      for (color, _) in group.colors { indices[color] = UInt8(index) }
    }
    return (groups.flatMap(\.mean), indices)
  }
}
