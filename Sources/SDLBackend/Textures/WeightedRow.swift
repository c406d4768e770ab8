/// A weighted sum of rows of a bitmap, from which weighted sums of columns are taken.
///
/// Rows are added four pixels at a time with 16 bits per channel: 8 bits of the channel and 8 bits of weight. Columns
/// are added with 32 bits per channel, two channels in a 64-bit word.
struct WeightedRow {
  /// The sum of the weights of all rows.
  static let rowUnit = 256
  /// The sum of the weights of the columns of a target pixel. Its 12 bits and the 16 bits of a row sum fit in 32 bits.
  static let columnUnit = 4096

  private let columns: Range<Int>
  private let isOpaque: Bool
  /// The sums of blue and red, four pixels per element.
  private var low: [PixelLanes]
  /// The sums of green and alpha, four pixels per element.
  private var high: [PixelLanes]

  /// - Parameter columns: The range of pixels of a row that are needed.
  init(columns: Range<Int>, isOpaque: Bool) {
    self.columns = columns
    self.isOpaque = isOpaque
    low = Array(repeating: .zero, count: (columns.count + 3) / 4)
    high = low
  }

  mutating func clear() {
    for index in low.indices {
      low[index] = .zero
      high[index] = .zero
    }
  }

  /// Adds a row with a weight. `row` points to the first pixel of the whole row, not of `columns`.
  mutating func add(_ row: UnsafePointer<UInt32>, weight: UInt32) {
    guard weight > 0 else { return }
    let weight = PixelLanes(repeating: UInt16(weight))
    let start = row + columns.lowerBound
    let groupCount = columns.count / 4
    let remainder = columns.count % 4
    let isOpaque = isOpaque
    low.withUnsafeMutableBufferPointer { low in
      high.withUnsafeMutableBufferPointer { high in
        guard let low = low.baseAddress, let high = high.baseAddress else { return }
        @inline(__always) func add(_ lanes: PixelLanes, _ index: Int) {
          let lanes = isOpaque ? lanes : lanes.premultiplied
          low[index] &+= lanes.low &* weight
          high[index] &+= lanes.high &* weight
        }
        for index in 0..<groupCount {
          add(UnsafeRawPointer(start + index * 4).loadUnaligned(as: PixelLanes.self), index)
        }
        if remainder > 0 {
          var last = SIMD4<UInt32>()
          for index in 0..<remainder { last[index] = start[groupCount * 4 + index] }
          add(unsafeBitCast(last, to: PixelLanes.self), groupCount)
        }
      }
    }
  }

  /// Writes the weighted sums of the columns as a row of the result.
  func write(_ taps: ResamplingTaps, to target: UnsafeMutablePointer<UInt32>) {
    low.withUnsafeBytes { low in
      high.withUnsafeBytes { high in
        taps.weights.withUnsafeBufferPointer { weights in
          guard let low = low.assumingMemoryBound(to: UInt32.self).baseAddress,
            let high = high.assumingMemoryBound(to: UInt32.self).baseAddress,
            let weights = weights.baseAddress
          else { return }
          for (x, tap) in taps.taps.enumerated() {
            var blueRed: UInt64 = 0
            var greenAlpha: UInt64 = 0
            let first = tap.first - columns.lowerBound
            for offset in 0..<tap.count {
              let weight = UInt64(weights[tap.weight + offset])
              blueRed &+= Self.spread(low[first + offset]) &* weight
              greenAlpha &+= Self.spread(high[first + offset]) &* weight
            }
            target[x] = isOpaque ? Self.opaque(blueRed, greenAlpha) : Self.straight(blueRed, greenAlpha)
          }
        }
      }
    }
  }

  /// Spreads two 16-bit channels over 64 bits, so that their sums do not overflow.
  @inline(__always)
  private static func spread(_ word: UInt32) -> UInt64 {
    let word = UInt64(word)
    return word & 0xFFFF | (word &>> 16) &<< 32
  }

  @inline(__always)
  private static func opaque(_ blueRed: UInt64, _ greenAlpha: UInt64) -> UInt32 {
    // Rounds to nearest: half of the last place of each channel.
    let half: UInt64 = 0x0008_0000_0008_0000
    let blueRed = blueRed &+ half
    let green = (greenAlpha & 0xFFFF_FFFF) &+ 0x0008_0000
    let blue = UInt32(truncatingIfNeeded: blueRed) &>> 20
    let red = UInt32(truncatingIfNeeded: blueRed &>> 52)
    return 0xFF00_0000 | red &<< 16 | UInt32(truncatingIfNeeded: green &>> 20) &<< 8 | blue
  }

  /// Returns a pixel with straight alpha: divides the colors by the alpha with which they were multiplied.
  private static func straight(_ blueRed: UInt64, _ greenAlpha: UInt64) -> UInt32 {
    let alphaSum = greenAlpha &>> 32
    let alpha = UInt32(truncatingIfNeeded: (alphaSum &+ 0x0008_0000) &>> 20)
    guard alpha > 0 else { return 0 }
    func channel(_ sum: UInt64) -> UInt32 {
      UInt32(truncatingIfNeeded: min(255, (sum &* 255 &+ alphaSum / 2) / alphaSum))
    }
    let blue = channel(blueRed & 0xFFFF_FFFF)
    let red = channel(blueRed &>> 32)
    let green = channel(greenAlpha & 0xFFFF_FFFF)
    return alpha &<< 24 | red &<< 16 | green &<< 8 | blue
  }
}

extension PixelLanes {
  /// The pixels with premultiplied alpha. The alpha itself stays.
  @inline(__always)
  fileprivate var premultiplied: PixelLanes {
    let alpha = alphas
    let low = (self.low &* alpha).dividedBy255
    // The high byte of every second lane is alpha, which is multiplied by 255 instead of by itself.
    let alphaFactors = PixelLanes(0, 255, 0, 255, 0, 255, 0, 255)
    let high = (self.high &* (alpha | alphaFactors)).dividedBy255
    return low | (high &<< 8)
  }
}
