import VitrineGraphics
import VitrineLoading

/// The layouts of the frames of an animated PNG, and where the data chunks of each frame are in the file (PNG
/// specification, third edition, section 11.3.4).
///
/// A frame whose chunks are missing, invalid or out of sequence ends the animation before that frame. Damage inside the
/// compressed pixels is found when the frame is decoded.
struct PNGAnimation: Sendable {
  let table: AnimationTable
  /// The part of the file from the first to the last data chunk of each frame.
  let data: [Range<Int>]
  /// True if the default image, which decoders without animation show, is not a frame of the animation.
  let hidesDefaultImage: Bool
  /// The number of bytes of the largest compressed frame.
  let largestDataCount: Int

  /// Returns `nil` for a still image, and for an animation with fewer than two sound frames. O(chunks of the file).
  init?(_ structure: PNGStructure, _ bytes: [UInt8], limits: DecodeLimits) {
    guard structure.animation != nil else { return nil }
    var reader = PNGFrameReader(structure, limits)
    var chunks = PNGChunks(bytes)
    while !reader.isFinished {
      let start = chunks.offset
      guard let chunk = chunks.next() else { break }
      reader.take(chunk, at: start..<chunks.offset)
    }
    self.init(structure, reader, limits: limits)
  }

  /// Creates an animation of the frames that were read; `nil` for fewer than two frames. O(frames).
  init?(_ structure: PNGStructure, _ reader: PNGFrameReader, limits: DecodeLimits) {
    // The canvas is held whole while frames are composed.
    guard ByteCount.product(structure.size.width, structure.size.height) <= limits.pixels,
      let loopCount = reader.loopCount, reader.layouts.count > 1
    else { return nil }
    table = AnimationTable(canvas: structure.size, frames: reader.layouts, loopCount: loopCount)
    data = reader.data
    hidesDefaultImage = reader.hidesDefaultImage
    largestDataCount = reader.largestDataCount
  }

  /// Returns an upper bound of the bytes that the tables take and, if the default image is hidden, of the bytes for
  /// composing the first frame.
  static func bytes(_ structure: PNGStructure, byteCount: Int, limits: DecodeLimits) -> Int {
    guard let animation = structure.animation, animation.controlCount > 1 else { return 0 }
    let tables = tableBytes(frameCount: min(animation.controlCount, limits.frameLimit(of: structure.size)))
    guard animation.hidesDefaultImage else { return tables }
    // The canvas, the saved rectangle and, for an interlaced image, the frame.
    let pixels = ByteCount.product(structure.size.width, structure.size.height, PixelFormat.bytesPerPixel)
    return ByteCount.sum(tables, ByteCount.product(pixels, structure.isInterlaced ? 3 : 2), byteCount)
  }
}

extension PNGAnimation {
  static func tableBytes(frameCount: Int) -> Int {
    // The capacity of a growing array is up to twice what it holds, and the smaller array is copied.
    ByteCount.product(frameCount, 3 * (AnimationTable.bytesPerFrame + MemoryLayout<Range<Int>>.stride))
  }
}

/// Collects the frames of an animated PNG from its chunks.
struct PNGFrameReader {
  private(set) var layouts: [FrameLayout] = []
  private(set) var data: [Range<Int>] = []
  /// The number of plays from the animation control chunk; `nil` if there is none before the pixels.
  private(set) var loopCount: Int?
  private(set) var hidesDefaultImage = false
  private(set) var largestDataCount = 0
  /// True if no further chunk can add a frame.
  private(set) var isFinished = false
  private var structure: PNGStructure
  /// The maximum number of frames.
  private let frameLimit: Int
  private var frameCount = 0
  private var sequence: UInt32 = 0
  private var hasPixels = false
  /// The frame whose data chunks are read.
  private var frame: Frame?

  private struct Frame {
    var layout: FrameLayout
    /// True if the pixels are those of the default image.
    var isDefaultImage: Bool
    var range: Range<Int>?
    var dataCount = 0

    mutating func add(_ chunk: Range<Int>, dataCount: Int) {
      range = (range?.lowerBound ?? chunk.lowerBound)..<chunk.upperBound
      // A sum of parts of the file.
      self.dataCount += dataCount
    }
  }

  init(_ structure: PNGStructure, _ limits: DecodeLimits) {
    self.structure = structure
    frameLimit = limits.frameLimit(of: structure.size)
  }

  /// Returns a reader that goes on with the same file, of which another structure has been read.
  func over(_ structure: PNGStructure) -> PNGFrameReader {
    var copy = self
    copy.structure = structure
    return copy
  }

  /// Takes the next chunk of the file.
  ///
  /// - Parameter range: The part of the file that the chunk takes.
  mutating func take(_ chunk: PNGChunk, at range: Range<Int>) {
    switch chunk.type {
    case PNGChunk.actl where !hasPixels && loopCount == nil:
      guard chunk.payload.count == 8 else { return finish() }
      frameCount = min(chunk.payload.bigEndianCount(at: 0), frameLimit)
      loopCount = chunk.payload.bigEndianCount(at: 4)
    case PNGChunk.fctl:
      endFrame()
      guard !isFinished, begin(chunk.payload) else { return finish() }
    case PNGChunk.idat:
      takeDefaultImage(chunk, at: range)
    case PNGChunk.fdat:
      guard hasPixels, frame?.isDefaultImage == false, isNext(chunk.payload) else { return finish() }
      frame?.add(range, dataCount: chunk.payload.count - 4)
    case PNGChunk.iend:
      endFrame()
      finish()
    default: break
    }
  }

  private mutating func takeDefaultImage(_ chunk: PNGChunk, at range: Range<Int>) {
    // An animation control chunk after the pixels does not count.
    guard loopCount != nil else { return finish() }
    if !hasPixels { hidesDefaultImage = frame == nil }
    hasPixels = true
    if frame?.isDefaultImage == true { frame?.add(range, dataCount: chunk.payload.count) }
  }

  /// Gives up the frame whose chunks are read, and all later frames.
  private mutating func finish() {
    isFinished = true
    frame = nil
  }

  /// Keeps the frame whose chunks have been read, if it has data that can give all pixels.
  mutating func endFrame() {
    guard let frame else { return }
    self.frame = nil
    guard let range = frame.range, structure.isPlausible(frame.layout.size, dataCount: frame.dataCount) else {
      return finish()
    }
    layouts.append(frame.layout)
    data.append(range)
    largestDataCount = max(largestDataCount, frame.dataCount)
    if layouts.count >= frameCount { finish() }
  }

  /// Begins a frame. Returns false if the frame control chunk is invalid.
  private mutating func begin(_ payload: ArraySlice<UInt8>) -> Bool {
    guard loopCount != nil, payload.count == 26, isNext(payload),
      let layout = FrameLayout(control: payload, of: structure),
      hasPixels || layout.size == structure.size
    else { return false }
    frame = Frame(layout: layout, isDefaultImage: !hasPixels)
    return true
  }

  /// Returns true if a payload begins with the next sequence number.
  private mutating func isNext(_ payload: ArraySlice<UInt8>) -> Bool {
    guard payload.count >= 4, payload.bigEndianUInt32(at: 0) == sequence else { return false }
    sequence &+= 1
    return true
  }
}

extension FrameLayout {
  /// Reads a frame control chunk of 26 bytes; `nil` if a value is unknown, or if the frame does not lie on the canvas.
  fileprivate init?(control: ArraySlice<UInt8>, of structure: PNGStructure) {
    let canvas = structure.size
    let size = PixelSize(width: control.bigEndianCount(at: 4), height: control.bigEndianCount(at: 8))
    let (x, y) = (control.bigEndianCount(at: 12), control.bigEndianCount(at: 16))
    // The canvas may be empty in the preview of an invalid file.
    guard size.width > 0, size.height > 0, size.width <= canvas.width, size.height <= canvas.height,
      x <= canvas.width - size.width, y <= canvas.height - size.height
    else { return nil }
    let (numerator, denominator) = (control.bigEndianUInt16(at: 20), control.bigEndianUInt16(at: 22))
    let disposals: [Disposal] = [.none, .background, .previous]
    let blends: [Blend] = [.source, .over]
    let disposal = Int(control[control.startIndex + 24])
    let blend = Int(control[control.startIndex + 25])
    guard disposals.indices.contains(disposal), blends.indices.contains(blend) else { return nil }
    self.init(
      x: x, y: y, size: size, duration: Double(numerator) / (denominator == 0 ? 100 : Double(denominator)),
      blend: blends[blend], disposal: disposals[disposal], hasAlpha: structure.hasAlpha)
  }
}
