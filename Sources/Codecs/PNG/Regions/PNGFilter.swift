/// The filters of rows (PNG specification, third edition, section 9), which are undone in place.
enum PNGFilter: UInt8 {
  case none, sub, up, average, paeth

  /// The number of bytes that must be zero before the first byte of both rows: those of the largest pixel.
  static let padding = 8

  /// Undoes the filter.
  ///
  /// - Parameters:
  ///   - row: The row, of `count` bytes.
  ///   - above: The row above, of which nothing is filtered any more; zeros for the first row.
  ///   - distance: The distance in bytes to the pixel to the left, at least 1 and at most `padding`.
  func undo(
    _ row: UnsafeMutablePointer<UInt8>, above: UnsafePointer<UInt8>, count: Int, distance: Int
  ) {
    switch self {
    case .none: break
    case .sub:
      for index in 0..<count { row[index] &+= row[index - distance] }
    case .up:
      for index in 0..<count { row[index] &+= above[index] }
    case .average:
      for index in 0..<count {
        row[index] &+= UInt8(truncatingIfNeeded: (Int(row[index - distance]) + Int(above[index])) >> 1)
      }
    case .paeth:
      // A loop for each common distance, which the compiler then knows.
      switch distance {
      case 3: Self.undoPaeth(row, above, count, 3)
      case 4: Self.undoPaeth(row, above, count, 4)
      default: Self.undoPaeth(row, above, count, distance)
      }
    }
  }

  @inline(__always)
  private static func undoPaeth(
    _ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int, _ distance: Int
  ) {
    for index in 0..<count {
      let left = Int(row[index - distance])
      let top = Int(above[index])
      let corner = Int(above[index - distance])
      let (toLeft, toTop) = (abs(top - corner), abs(left - corner))
      let toCorner = abs(left + top - 2 * corner)
      let nearest = toLeft <= toTop && toLeft <= toCorner ? left : toTop <= toCorner ? top : corner
      row[index] &+= UInt8(truncatingIfNeeded: nearest)
    }
  }
}
