/// The rows of a plane that an output row covers, each with the number of rows that it counts as: 1 or a fraction, or up to
/// 2 for a row between others.
struct PlaneRows: Equatable {
  var first: Int
  var weights: [Float]

  /// The rows of a plane at full size.
  init(_ span: AreaScaler.Span) {
    first = span.first
    let count = span.last - span.first + 1
    weights = Array(repeating: 1, count: count)
    weights[0] = span.firstWeight
    if count > 1 { weights[count - 1] = span.lastWeight }
  }

  /// The rows of a plane of half the height, whose samples lie between those of the full size: each row at full size is
  /// three quarters of the nearest row and a quarter of the next one.
  init(halvesOf rows: PlaneRows, height: Int) {
    let last = rows.first + rows.weights.count - 1
    first = max(0, (rows.first - 1) / 2)
    weights = Array(repeating: 0, count: min((last + 1) / 2, height - 1) - first + 1)
    for (offset, weight) in rows.weights.enumerated() {
      let row = rows.first + offset
      let nearest = min(row / 2, height - 1)
      let next = min(max(0, row % 2 == 0 ? nearest - 1 : nearest + 1), height - 1)
      weights[nearest - first] += weight * 0.75 / 2
      weights[next - first] += weight * 0.25 / 2
    }
  }

  var total: Float { weights.reduce(0, +) }
}

/// Computes means of rows of a plane, in 256ths.
struct PlaneMeans {
  /// The number of rows up to which weights are 256ths of the mean. More rows are summed with weights of their own,
  /// because such weights would be rounded too much.
  private static let fewRows: Float = 4
  /// The number of rows of 255 whose sum fits 16 bits.
  private static let largestWholeRowCount = 257

  /// The sums of whole rows.
  private var whole: [UInt16]
  /// The sums of fractions of rows and of many whole rows, in 256ths.
  private var sums: [UInt32]
  private var wholeRowCount = 0

  init(width: Int) {
    whole = Array(repeating: 0, count: width)
    sums = whole.map { UInt32($0) }
  }

  /// Writes the means of rows.
  ///
  /// - Parameters:
  ///   - plane: The first sample of the plane, whose rows have the width and are `stride` samples apart.
  ///   - rows: At most 16,384 rows, all of which lie in the plane.
  mutating func write(
    _ rows: PlaneRows, of plane: UnsafePointer<UInt8>, stride: Int, to means: UnsafeMutablePointer<UInt16>
  ) {
    let first = plane + rows.first * stride
    if rows.total <= Self.fewRows {
      writeFew(rows, first, stride: stride, to: means)
    } else {
      writeMany(rows, first, stride: stride, to: means)
    }
  }

  private func writeFew(
    _ rows: PlaneRows, _ first: UnsafePointer<UInt8>, stride: Int, to means: UnsafeMutablePointer<UInt16>
  ) {
    let factor = 256 / max(rows.total, 1e-6)
    var (exact, covered, isFirst): (Float, UInt16, Bool) = (0, 0, true)
    for (offset, weight) in rows.weights.enumerated() {
      exact += weight
      // Rounded so that the sum is exact.
      let isLast = offset == rows.weights.count - 1
      let upTo = isLast ? 256 : UInt16(min(256, max(exact * factor, 0)).rounded())
      let part = upTo - min(covered, upTo)
      guard part > 0 else { continue }
      covered = upTo
      let row = first + offset * stride
      let count = whole.count
      if isFirst {
        for index in 0..<count { means[index] = UInt16(row[index]) &* part }
      } else {
        for index in 0..<count { means[index] &+= UInt16(row[index]) &* part }
      }
      isFirst = false
    }
  }

  private mutating func writeMany(
    _ rows: PlaneRows, _ first: UnsafePointer<UInt8>, stride: Int, to means: UnsafeMutablePointer<UInt16>
  ) {
    for index in sums.indices { sums[index] = 0 }
    for (offset, weight) in rows.weights.enumerated() {
      let row = first + offset * stride
      if abs(weight - 1) < 1e-3 {
        addWhole(row)
      } else {
        add(row, weight: UInt32(max(weight * 256, 0).rounded()))
      }
    }
    addWholeRows()
    let factor = 1 / rows.total
    sums.withUnsafeBufferPointer { sums in
      // Signed integers, which have a vector instruction.
      for index in 0..<sums.count {
        means[index] = UInt16(Float(Int32(truncatingIfNeeded: sums[index])) * factor)
      }
    }
  }

  private mutating func add(_ row: UnsafePointer<UInt8>, weight: UInt32) {
    sums.withUnsafeMutableBufferPointer { sums in
      for index in 0..<sums.count { sums[index] &+= UInt32(row[index]) &* weight }
    }
  }

  private mutating func addWhole(_ row: UnsafePointer<UInt8>) {
    if wholeRowCount == Self.largestWholeRowCount { addWholeRows() }
    let isFirst = wholeRowCount == 0
    whole.withUnsafeMutableBufferPointer { whole in
      if isFirst {
        for index in 0..<whole.count { whole[index] = UInt16(row[index]) }
      } else {
        for index in 0..<whole.count { whole[index] &+= UInt16(row[index]) }
      }
    }
    wholeRowCount += 1
  }

  private mutating func addWholeRows() {
    guard wholeRowCount > 0 else { return }
    whole.withUnsafeBufferPointer { whole in
      sums.withUnsafeMutableBufferPointer { sums in
        for index in 0..<sums.count { sums[index] &+= UInt32(whole[index]) &* 256 }
      }
    }
    wholeRowCount = 0
  }
}
