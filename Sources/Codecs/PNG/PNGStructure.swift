import VitrineGraphics
import VitrineLoading

/// The chunk structure of a PNG file (PNG specification, sections 5 and 11.2.2), checked before anything is
/// decompressed: every chunk lies within the bytes, IHDR comes first, and IEND is present. Truncated files are refused
/// here.
struct PNGStructure {
  let size: PixelSize
  /// The maximum number of chunks. Encoders write chunks of some kilobytes.
  static let largestChunkCount = 1 << 18

  /// True if the image has seven passes, so that all rows must be held at once.
  let isInterlaced: Bool
  /// True if pixels may be transparent: the color type has alpha, or there is a tRNS chunk.
  private(set) var hasAlpha: Bool
  /// The content of the last eXIf chunk.
  private var exif: ArraySlice<UInt8>?
  /// The content of the iCCP chunk, with the profile still compressed.
  private var packedProfile: ArraySlice<UInt8>?
  /// The number of compressed bytes in IDAT chunks.
  private var dataCount = 0
  /// The content of the PLTE chunk before the pixels.
  private(set) var palette: ArraySlice<UInt8>?
  /// The content of the tRNS chunk before the pixels.
  private(set) var transparency: ArraySlice<UInt8>?
  /// The chunks of an animation; `nil` if there is no animation control chunk before the pixels.
  private(set) var animation: Animation?
  /// The content of the IHDR chunk, 13 bytes.
  let header: ArraySlice<UInt8>
  let bitsPerPixel: Int
  /// True for images with 16 bits per channel.
  private let isDeep: Bool
  let colorModel: ColorConversion.Model

  /// The chunks of an animation, whose contents have not been checked.
  struct Animation {
    /// The number of frame control chunks.
    var controlCount = 0
    /// True if there is no frame control chunk before the pixels, so that the pixels are not those of a frame.
    var hidesDefaultImage = true
  }

  init(_ bytes: [UInt8]) throws(ImageError) {
    var chunks = PNGChunks(bytes)
    guard let header = chunks.next() else { throw Self.damaged(chunks.ending) }
    try self.init(header: header)
    var chunk = chunks.next()
    var count = 0
    while let next = chunk, next.type != PNGChunk.iend {
      apply(next)
      chunk = chunks.next()
      count += 1
      guard count <= Self.largestChunkCount else { throw Self.damaged("more chunks than an image has") }
    }
    guard chunk != nil else { throw Self.damaged(chunks.ending) }
    guard dataCount > 0 else { throw Self.damaged("no pixels") }
  }

  /// Reads the chunks before the pixels of a file that is still arriving; `nil` until all of them have arrived. Chunks
  /// after the pixels, even an orientation, are not known then.
  init?(beginningOf bytes: [UInt8]) throws(ImageError) {
    var chunks = PNGChunks(bytes)
    guard let header = chunks.next() else { return nil }
    try self.init(header: header)
    var count = 0
    while chunks.nextType != PNGChunk.idat {
      guard let chunk = chunks.next() else { return nil }
      apply(chunk)
      count += 1
      guard count <= Self.largestChunkCount else { throw Self.damaged("more chunks than an image has") }
    }
  }

  /// Reads the header chunk. The other chunks are not known then.
  init(header: PNGChunk) throws(ImageError) {
    guard header.type == PNGChunk.ihdr, header.payload.count == 13 else { throw Self.damaged("no IHDR") }
    let fields = header.payload
    self.header = fields
    let colorType = fields[fields.startIndex + 9]
    let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType]
    guard let channels else { throw Self.damaged("unknown colour type") }
    size = PixelSize(width: fields.bigEndianCount(at: 0), height: fields.bigEndianCount(at: 4))
    bitsPerPixel = channels * Int(fields[fields.startIndex + 8])
    isDeep = fields[fields.startIndex + 8] == 16
    isInterlaced = fields[fields.startIndex + 12] != 0
    hasAlpha = colorType & 4 != 0
    colorModel = colorType & 2 == 0 ? .gray : .rgb
  }

  var orientation: Orientation { exif.flatMap { Orientation(exif: $0) } ?? .up }
  var metadata: ImageMetadata? { exif.flatMap { ImageMetadata(exif: $0) } }
  var profile: ICCProfile? { packedProfile.flatMap { ICCProfile(packed: $0) } }

  /// Takes the next chunk after the header.
  mutating func apply(_ chunk: PNGChunk) {
    switch chunk.type {
    case PNGChunk.idat: addData(chunk.payload.count)
    case PNGChunk.plte where dataCount == 0: palette = palette ?? chunk.payload
    case PNGChunk.trns:
      hasAlpha = true
      if dataCount == 0 { transparency = transparency ?? chunk.payload }
    case PNGChunk.actl where dataCount == 0: animation = animation ?? Animation()
    case PNGChunk.fctl:
      animation?.controlCount += 1
      if dataCount == 0 { animation?.hidesDefaultImage = false }
    case PNGChunk.iccp where dataCount == 0: packedProfile = packedProfile ?? chunk.payload
    case PNGChunk.exif: exif = chunk.payload
    default: break
    }
  }

  /// Takes the next IDAT chunk without its content.
  mutating func addData(_ count: Int) { dataCount += count }

  /// The bytes that libpng and zlib allocate in addition to fixed tables.
  var codecBytes: Int { codecBytes(width: size.width) }

  /// Returns the bytes that libpng and zlib allocate for an image of another width, in addition to fixed tables: the
  /// previous row as stored, and the current row with all channels of 8 or 16 bits.
  func codecBytes(width: Int) -> Int {
    let stored = ByteCount.product(width, bitsPerPixel) / 8
    return ByteCount.sum(stored, 1, ByteCount.product(ByteCount.sum(width, 8), isDeep ? 8 : 4))
  }

  /// True if the image has a valid header and is not interlaced, so that its rows follow each other.
  var isReadByRows: Bool {
    let fields = Array(header)
    let depths: [UInt8] =
      switch fields[9] {
      case 0: [1, 2, 4, 8, 16]
      case 3: [1, 2, 4, 8]
      default: [8, 16]
      }
    return depths.contains(fields[8]) && fields[10...].allSatisfy { $0 == 0 } && size.width > 0
      && size.height > 0
  }

  /// The number of bytes of metadata and of the packed color profile.
  var chunkBytes: Int { ByteCount.sum(exif?.count ?? 0, packedProfile?.count ?? 0) }

  /// The size of the unpacked color profile in bytes; 0 if there is none.
  var profileBytes: Int { packedProfile.flatMap { ICCProfile.byteCount(packed: $0) } ?? 0 }

  private static func damaged(_ message: String) -> ImageError { .decoding(.png, message: message) }

  /// False if the compressed bytes cannot hold all pixels, because the maximum compression ratio of deflate is 1032. A
  /// few bytes that declare a huge image are refused before memory is allocated.
  var isPlausible: Bool { isPlausible(size, dataCount: dataCount) }

  /// Returns false if `dataCount` compressed bytes cannot hold all pixels of an image or frame of the given size.
  func isPlausible(_ size: PixelSize, dataCount: Int) -> Bool {
    let (bitsPerRow, isTooWide) = size.width.multipliedReportingOverflow(by: bitsPerPixel)
    let (needed, overflow) = (bitsPerRow / 8 + 1).multipliedReportingOverflow(by: size.height)
    return !isTooWide && !overflow && needed / 1032 <= dataCount
  }
}
