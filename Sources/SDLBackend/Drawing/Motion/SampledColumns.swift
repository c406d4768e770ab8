/// The columns of a bitmap from which the pixels of a row on the screen are sampled, the same for each row.
struct SampledColumns {
  /// The first column that is read.
  let first: Int
  /// The end of the columns that are read.
  let end: Int
  /// The index of the first pixel of each pair, from `first`.
  private let indices: [Int32]
  /// The weights of the second pixels, twice each, as `PixelLanes` need them.
  private let weights: [UInt16]

  init(_ positions: [SamplePosition]) {
    let first = positions.map(\.index).min() ?? 0
    self.first = first
    end = (positions.map(\.index).max() ?? 0) + 2
    indices = positions.map { Int32($0.index - first) }
    weights = positions.flatMap { [$0.weight, $0.weight] }
  }

  /// Samples a row of pixels.
  ///
  /// - Parameters:
  ///   - row: The columns from `first`; at least up to `end`.
  ///   - target: Receives a pixel for each position.
  func sample(_ row: UnsafePointer<UInt32>, into target: UnsafeMutablePointer<UInt32>) {
    let count = indices.count
    indices.withUnsafeBufferPointer { indices in
      weights.withUnsafeBytes { weights in
        guard let weights = weights.baseAddress else { return }
        var position = 0
        while position + 4 <= count {
          let pairs = SIMD4<UInt64>(
            Self.pair(row, indices[position]), Self.pair(row, indices[position + 1]),
            Self.pair(row, indices[position + 2]), Self.pair(row, indices[position + 3]))
          let words = unsafeBitCast(pairs, to: SIMD8<UInt32>.self)
          let weight = weights.loadUnaligned(fromByteOffset: position * 4, as: PixelLanes.self)
          let mean = PixelMean.mix(
            unsafeBitCast(words.evenHalf, to: PixelLanes.self),
            unsafeBitCast(words.oddHalf, to: PixelLanes.self), weight: weight)
          UnsafeMutableRawPointer(target + position).storeBytes(of: mean, as: PixelLanes.self)
          position += 4
        }
        while position < count {
          let start = row + Int(indices[position])
          let weight = weights.loadUnaligned(fromByteOffset: position * 4, as: UInt16.self)
          target[position] = PixelMean.mix(start[0], start[1], weight: weight)
          position += 1
        }
      }
    }
  }

  @inline(__always)
  private static func pair(_ row: UnsafePointer<UInt32>, _ index: Int32) -> UInt64 {
    UnsafeRawPointer(row + Int(index)).loadUnaligned(as: UInt64.self)
  }
}

/// Weighted means of pixels, channel by channel.
enum PixelMean {
  /// Mixes two groups of pixels.
  ///
  /// - Parameter weight: The weight of `second`, 0 to 256.
  @inline(__always)
  static func mix(_ first: PixelLanes, _ second: PixelLanes, weight: PixelLanes) -> PixelLanes {
    let inverse = 256 &- weight
    let low = (first.low &* inverse &+ second.low &* weight) &>> 8
    let high = (first.high &* inverse &+ second.high &* weight) & 0xFF00
    return low | high
  }

  /// Mixes two pixels.
  @inline(__always)
  static func mix(_ first: UInt32, _ second: UInt32, weight: UInt16) -> UInt32 {
    let lanes = mix(
      PixelLanes(pixel: first), PixelLanes(pixel: second), weight: PixelLanes(repeating: weight))
    return unsafeBitCast(lanes, to: SIMD4<UInt32>.self)[0]
  }

  /// Mixes two rows.
  ///
  /// - Parameter weight: The weight of `second`, 0 to 256.
  static func mix(
    _ first: UnsafePointer<UInt32>, _ second: UnsafePointer<UInt32>, weight: UInt16,
    into target: UnsafeMutablePointer<UInt32>, count: Int
  ) {
    guard weight > 0 else { return target.update(from: first, count: count) }
    let lanes = PixelLanes(repeating: weight)
    var index = 0
    while index + 4 <= count {
      let mean = mix(
        UnsafeRawPointer(first + index).loadUnaligned(as: PixelLanes.self),
        UnsafeRawPointer(second + index).loadUnaligned(as: PixelLanes.self), weight: lanes)
      UnsafeMutableRawPointer(target + index).storeBytes(of: mean, as: PixelLanes.self)
      index += 4
    }
    while index < count {
      target[index] = mix(first[index], second[index], weight: weight)
      index += 1
    }
  }
}
