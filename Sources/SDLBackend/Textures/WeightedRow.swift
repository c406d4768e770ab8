/// The weighted sum of some rows of a picture, and the weighted sums of its columns.
///
/// Rows are summed four pixels at a time in 16 bits a channel (8 of the channel, 8 of the weights), columns in 32
/// bits, two channels in a 64-bit word.
nonisolated struct WeightedRow {
  /// What the weights of the rows of a sum add up to.
  static let rowUnit = 256
  /// What the weights of its columns add up to: 16 + 12 bits leave room in 32.
  static let columnUnit = 4096

  private let columns: Range<Int>
  private let isOpaque: Bool
  /// Blue and red of four pixels each.
  private var low: [PixelLanes]
  /// Green and alpha.
  private var high: [PixelLanes]

  /// - Parameter columns: which pixels of a row are summed.
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

  /// Adds a row, of which `row` is pixel 0.
  mutating func add(_ row: UnsafePointer<UInt32>, weight: UInt32) {
    guard weight > 0 else { return }
    let weight = PixelLanes(repeating: UInt16(weight))
    let start = row + columns.lowerBound
    let whole = columns.count / 4
    let rest = columns.count % 4
    let isOpaque = isOpaque
    low.withUnsafeMutableBufferPointer { low in
      high.withUnsafeMutableBufferPointer { high in
        guard let low = low.baseAddress, let high = high.baseAddress else { return }
        @inline(__always) func add(_ lanes: PixelLanes, _ index: Int) {
          let lanes = isOpaque ? lanes : lanes.premultiplied
          low[index] &+= lanes.low &* weight
          high[index] &+= lanes.high &* weight
        }
        for index in 0..<whole {
          add(UnsafeRawPointer(start + index * 4).loadUnaligned(as: PixelLanes.self), index)
        }
        if rest > 0 {
          var last = SIMD4<UInt32>()
          for index in 0..<rest { last[index] = start[whole * 4 + index] }
          add(unsafeBitCast(last, to: PixelLanes.self), whole)
        }
      }
    }
  }

  /// Sums the columns up to a row of the result.
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

  /// Two channels of 16 bits with room for their sums.
  @inline(__always)
  private static func spread(_ word: UInt32) -> UInt64 {
    let word = UInt64(word)
    return word & 0xFFFF | (word &>> 16) &<< 32
  }

  @inline(__always)
  private static func opaque(_ blueRed: UInt64, _ greenAlpha: UInt64) -> UInt32 {
    // Half of the last place is added for rounding.
    let half: UInt64 = 0x0008_0000_0008_0000
    let blueRed = blueRed &+ half
    let green = (greenAlpha & 0xFFFF_FFFF) &+ 0x0008_0000
    let blue = UInt32(truncatingIfNeeded: blueRed) &>> 20
    let red = UInt32(truncatingIfNeeded: blueRed &>> 52)
    return 0xFF00_0000 | red &<< 16 | UInt32(truncatingIfNeeded: green &>> 20) &<< 8 | blue
  }

  /// Colours are divided by the alpha that they were multiplied with.
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
  /// Colours multiplied by their alpha, which itself stays.
  @inline(__always)
  nonisolated fileprivate var premultiplied: PixelLanes {
    let alpha = alphas
    let low = (self.low &* alpha).dividedBy255
    // The high byte of every second lane is the alpha: times 255 instead of itself.
    let keeps = PixelLanes(0, 255, 0, 255, 0, 255, 0, 255)
    let high = (self.high &* (alpha | keeps)).dividedBy255
    return low | (high &<< 8)
  }
}
