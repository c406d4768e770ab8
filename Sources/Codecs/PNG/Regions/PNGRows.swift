import VitrineConcurrency
import VitrineGraphics
import VitrineLoading

/// The rows of a PNG, which are read in any order: the state of the decompressor is kept at some rows, once they have
/// been passed, so that the rows below are read without those above. Two more states are kept near the ends of the last
/// two regions of different rows: a region below the last one begins at the later state, and one beside it at the earlier
/// state. Used by any number of threads.
final class PNGRows: Sendable {
  /// The maximum number of points, without those near the ends of regions.
  private static let largestPointCount = 32
  /// The number of bytes of rows between two points, unless that gives too many points.
  private static let pointDistance = 4 << 20
  /// The number of bytes of rows between two checks for cancellation.
  private static let uncheckedBytes = 256 << 10

  private let bytes: EncodedBytes
  private let layout: PNGRowReader.Layout
  private let dataOffset: Int
  /// The number of rows between two points.
  private let rowsPerPoint: Int
  private let points: Shared<Points>

  private struct Points {
    /// The points that have been passed, at multiples of `rowsPerPoint`.
    var passed: [PNGRowPoint?]
    /// The points near the ends of the last two regions of different rows, the last one at the end.
    var ends: [PNGRowPoint] = []
  }

  /// - Parameter dataOffset: The offset in the file of the first IDAT chunk.
  init(_ bytes: EncodedBytes, _ layout: PNGRowReader.Layout, height: Int, dataOffset: Int) {
    self.bytes = bytes
    self.layout = layout
    self.dataOffset = dataOffset
    rowsPerPoint = Self.rowsPerPoint(layout, height: height)
    points = Shared(Points(passed: Array(repeating: nil, count: (height - 1) / rowsPerPoint + 1)))
  }

  private static func rowsPerPoint(_ layout: PNGRowReader.Layout, height: Int) -> Int {
    max(1, pointDistance / layout.rowBytes, height / largestPointCount + 1)
  }

  private static let endCount = 2

  /// Returns the number of bytes of all points.
  static func pointBytes(_ layout: PNGRowReader.Layout, height: Int) -> Int {
    ByteCount.product(
      (height - 1) / rowsPerPoint(layout, height: height) + endCount,
      ByteCount.sum(Inflater.byteCount, layout.rowBytes, PNGFilter.padding))
  }

  /// Returns a reader whose next row is `row`. Reads the rows from the nearest point above on.
  func reader(at row: Int, cancellation: DecodeCancellation) throws(ImageError) -> PNGRowReader {
    let start = point(above: row)
    let reader =
      if let start {
        try PNGRowReader(bytes, layout, from: start)
      } else {
        try PNGRowReader(bytes, layout, dataOffset: dataOffset)
      }
    let rowsAtOnce = max(1, Self.uncheckedBytes / layout.rowBytes)
    while reader.row < row {
      if reader.row % rowsAtOnce == 0 { try cancellation.check() }
      _ = try next(reader)
    }
    return reader
  }

  private func point(above row: Int) -> PNGRowPoint? {
    points.withLock { points in
      let passed = points.passed[...(row / rowsPerPoint)].last { $0 != nil } ?? nil
      guard let end = points.ends.filter({ $0.row <= row }).max(by: { $0.row < $1.row }) else {
        return passed
      }
      return end.row > passed?.row ?? 0 ? end : passed
    }
  }

  /// Reads the next row of a reader, and keeps a point if one is due.
  ///
  /// - Parameter endPoint: The row at which the point near the end of a region is kept; `nil`, the default, for none.
  func next(_ reader: PNGRowReader, endPoint: Int? = nil) throws(ImageError) -> PNGRowReader.Row {
    if reader.row > 0 { keepPoint(reader, isEnd: reader.row == endPoint) }
    return try reader.next()
  }

  private func keepPoint(_ reader: PNGRowReader, isEnd: Bool) {
    let row = reader.row
    let index = row % rowsPerPoint == 0 ? row / rowsPerPoint : nil
    let isDue = points.withLock { points in
      if let index { return points.passed[index] == nil }
      return isEnd && !points.ends.contains { $0.row == row }
    }
    guard isDue, let point = reader.point() else { return }
    // Another thread may have been faster; its point is the same. An older point is released after the lock.
    let older = points.withLock { points -> PNGRowPoint? in
      if let index {
        var point: PNGRowPoint? = point
        swap(&points.passed[index], &point)
        return point
      }
      points.ends.append(point)
      return points.ends.count > Self.endCount ? points.ends.removeFirst() : nil
    }
    withExtendedLifetime(older) {}
  }
}
