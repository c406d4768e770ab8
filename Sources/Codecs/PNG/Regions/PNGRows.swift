import VitrineConcurrency
import VitrineGraphics
import VitrineLoading

/// The rows of a PNG, which are read in any order: the state of the decompressor is kept at some rows, once they have
/// been passed, so that the rows below are read without those above. Used by any number of threads.
final class PNGRows: Sendable {
  /// The maximum number of points.
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
  private let points: Shared<[PNGRowPoint?]>

  /// - Parameter dataOffset: The offset in the file of the first IDAT chunk.
  init(_ bytes: EncodedBytes, _ layout: PNGRowReader.Layout, height: Int, dataOffset: Int) {
    self.bytes = bytes
    self.layout = layout
    self.dataOffset = dataOffset
    rowsPerPoint = Self.rowsPerPoint(layout, height: height)
    points = Shared(Array(repeating: nil, count: (height - 1) / rowsPerPoint + 1))
  }

  private static func rowsPerPoint(_ layout: PNGRowReader.Layout, height: Int) -> Int {
    max(1, pointDistance / layout.rowBytes, height / largestPointCount + 1)
  }

  /// Returns the number of bytes of all points.
  static func pointBytes(_ layout: PNGRowReader.Layout, height: Int) -> Int {
    ByteCount.product(
      (height - 1) / rowsPerPoint(layout, height: height),
      ByteCount.sum(Inflater.byteCount, layout.rowBytes, PNGFilter.padding))
  }

  /// Returns a reader whose next row is `row`. Reads the rows from the nearest point above on.
  func reader(at row: Int, cancellation: DecodeCancellation) throws(ImageError) -> PNGRowReader {
    let start = points.withLock { points in points[...(row / rowsPerPoint)].last { $0 != nil } ?? nil }
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

  /// Reads the next row of a reader, and keeps a point if one is due.
  func next(_ reader: PNGRowReader) throws(ImageError) -> UnsafePointer<UInt8> {
    keepPoint(reader)
    return try reader.next()
  }

  private func keepPoint(_ reader: PNGRowReader) {
    guard reader.row > 0, reader.row % rowsPerPoint == 0 else { return }
    let index = reader.row / rowsPerPoint
    guard points.withLock({ $0[index] == nil }), let point = reader.point() else { return }
    // Another thread may have been faster; its point is the same, and the older one is released after the lock.
    let older = points.withLock { points in
      defer { points[index] = point }
      return points[index]
    }
    withExtendedLifetime(older) {}
  }
}
