import VitrineGraphics
import VitrineLoading

/// The frames of an animated GIF: their layouts, and their offsets in the file.
///
/// A frame that is truncated, impossible, larger than the limits or one too many ends the animation before that frame.
/// Damage inside the codes is found when the frame is decoded.
struct GIFAnimation: Sendable {
  let table: AnimationTable
  /// The values by which the blocks of each frame are found again.
  let frames: [Entry]
  private let globalPalette: ArraySlice<UInt8>?
  /// The number of bytes that the decode of the largest frame allocates.
  private let frameByteCount: Int

  struct Entry: Sendable {
    /// The offset of the image descriptor.
    var offset: Int
    var transparentIndex: UInt8?
  }

  /// The frames that have been read.
  struct FrameList: Sendable {
    fileprivate private(set) var layouts: [FrameLayout] = []
    fileprivate private(set) var entries: [Entry] = []
    /// The number of bytes that the decode of the largest frame allocates.
    fileprivate private(set) var frameByteCount = 0

    var count: Int { entries.count }

    mutating func append(_ frame: GIFFrame) {
      layouts.append(
        FrameLayout(
          x: frame.x, y: frame.y, size: frame.size, duration: Double(frame.control.centiseconds) / 100,
          blend: .over, disposal: frame.control.disposal, hasAlpha: frame.hasTransparentIndex))
      entries.append(Entry(offset: frame.offset, transparentIndex: frame.transparentIndex))
      frameByteCount = max(frameByteCount, frame.decodingBytes)
    }
  }

  /// Reads all blocks of the file. O(bytes of the file), without decompression. Throws `.cancelled` only.
  init(
    _ structure: GIFStructure, limits: DecodeLimits, _ cancellation: DecodeCancellation
  ) throws(ImageError) {
    var list = FrameList()
    let reader = try Self.forEachFrame(structure, limits: limits) { (frame) throws(ImageError) in
      if list.count % Self.checkInterval == 0 { try cancellation.check() }
      list.append(frame)
    }
    self.init(list, reader)
  }

  /// Creates an animation of frames that were read by `reader`. O(frames).
  init(_ list: FrameList, _ reader: GIFFrameReader) {
    table = AnimationTable(canvas: reader.screen, frames: list.layouts, loopCount: reader.loopCount)
    frames = list.entries
    frameByteCount = list.frameByteCount
    globalPalette = reader.globalPalette
  }

  /// The number of frames between two checks for cancellation.
  private static let checkInterval = 1024

  /// Returns the number of bytes of the tables of an animation; 0 for a still image. O(bytes of the file).
  static func tableBytes(_ structure: GIFStructure, limits: DecodeLimits) -> Int {
    var count = 0
    _ = forEachFrame(structure, limits: limits) { (_) throws(Never) in count += 1 }
    return count > 1 ? tableBytes(frameCount: count) : 0
  }

  static func tableBytes(frameCount: Int) -> Int {
    // The capacity of a growing array is up to twice what it holds, and the smaller array is copied.
    ByteCount.product(frameCount, 3 * (AnimationTable.bytesPerFrame + MemoryLayout<Entry>.stride))
  }

  /// Calls `body` for the first frame and the sound frames after it, and returns the reader.
  private static func forEachFrame<Failure: Error>(
    _ structure: GIFStructure, limits: DecodeLimits, _ body: (GIFFrame) throws(Failure) -> Void
  ) throws(Failure) -> GIFFrameReader {
    var reader = structure.laterFrames
    var count = 1
    try body(structure.frame)
    let limit = limits.frameLimit(of: structure.screen)
    while count < limit, let next = try? reader.next(), next.isSound(limits) {
      try body(next)
      count += 1
    }
    return reader
  }

  /// Returns the animation of a file; `nil` if the file has fewer than two frames.
  func animation(of bytes: AnimationBytes, plan: DecodePlan, isComplete: Bool = true) -> ImageAnimation? {
    let options = plan.options
    return ImageAnimation(
      table, of: bytes, plan: plan, tableByteCount: MemoryLayout<Entry>.stride,
      frameByteCount: ByteCount.sum(frameByteCount, LZW.tableBytes), isComplete: isComplete
    ) { () throws(ImageError) in
      let plan = try DecodePlan(format: .gif, stored: table.canvas, orientation: .up, options: options)
      return ComposedFrames(table, plan: plan, source: Source(self, bytes, options.pixelFormat))
    }
  }

  /// Decodes single frames.
  private final class Source: FrameSource {
    private let animation: GIFAnimation
    private let bytes: AnimationBytes
    private let format: PixelFormat

    init(_ animation: GIFAnimation, _ bytes: AnimationBytes, _ format: PixelFormat) {
      self.animation = animation
      self.bytes = bytes
      self.format = format
    }

    func decodeFrame(
      _ index: Int, cancellation: DecodeCancellation, draw: (_ pixels: UnsafeRawPointer, _ y: Int) -> Void
    ) throws(ImageError) {
      let entry = animation.frames[index]
      var control = GIFControl()
      control.transparentIndex = entry.transparentIndex
      let segment = bytes.segment(at: entry.offset)
      var reader = GIFBlockReader(segment.bytes, at: entry.offset - segment.start)
      let frame = try GIFFrame(&reader, globalPalette: animation.globalPalette, control: control)
      let indices = try LZW.decode(
        frame.codes, minimumCodeSize: frame.minimumCodeSize, count: frame.size.width * frame.size.height,
        cancellation: cancellation)
      frame.forEachRow(indices, format, draw)
    }
  }
}

extension GIFFrame {
  /// False if the codes are truncated or cannot give all pixels, or if the frame exceeds the limits.
  func isSound(_ limits: DecodeLimits) -> Bool {
    let area = ByteCount.product(size.width, size.height)
    return chain.end != nil && area <= limits.pixels && max(size.width, size.height) <= limits.side
      && area <= LZW.largestOutput(of: codeCount, minimumCodeSize: minimumCodeSize)
  }

  /// The number of bytes that a decode allocates for indices, codes and row offsets.
  var decodingBytes: Int {
    // One byte per pixel index, limited by the number of codes received. The factor of 64 bytes per row covers three
    // arrays of row offsets.
    let indices = min(
      ByteCount.product(size.width, size.height),
      LZW.largestOutput(of: codeCount, minimumCodeSize: minimumCodeSize))
    return ByteCount.sum(indices, codeCount, size.height * 64)
  }

  /// Calls `draw` for each row of a complete frame, from the top.
  fileprivate func forEachRow(
    _ indices: [UInt8], _ format: PixelFormat, _ draw: (_ pixels: UnsafeRawPointer, _ y: Int) -> Void
  ) {
    precondition(indices.count == size.width * size.height, "an index for each pixel")
    let arrivals = rowsToShow(of: size.height)
    let colors = pixels(format)
    var row = [UInt32](repeating: 0, count: size.width)
    indices.withUnsafeBufferPointer { indices in
      colors.withUnsafeBufferPointer { colors in
        row.withUnsafeMutableBufferPointer { row in
          for (y, arrival) in arrivals.enumerated() {
            guard let arrival, let pixels = UnsafeRawPointer(row.baseAddress) else { continue }
            let start = arrival * size.width
            // `colors` has an entry for each byte, and `arrival` is less than the height.
            for x in 0..<size.width { row[x] = colors[Int(indices[start + x])] }
            draw(pixels, y)
          }
        }
      }
    }
  }
}
