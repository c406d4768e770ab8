import VitrineGraphics
import VitrineLoading

/// The frame of a PNG file (PNG specification, sections 5 and 11.2.2), walked before anything is unpacked:
/// every chunk lies inside the bytes, IHDR comes first, IEND is there. Truncated files end here.
struct PNGStructure {
  let size: PixelSize
  /// Whether rows come in seven passes, which takes all of them at once.
  let isInterlaced: Bool
  /// Whether pixels may be transparent: a colour type with alpha, or a tRNS chunk.
  let hasAlpha: Bool
  let orientation: Orientation
  /// Bytes of packed pixels.
  private let dataCount: Int
  private let bitsPerPixel: Int

  init(_ bytes: [UInt8]) throws(ImageError) {
    func damaged(_ message: String) -> ImageError { .decoding(.png, message: message) }
    var header: ArraySlice<UInt8>?
    var hasTransparency = false
    var orientation = Orientation.up
    var dataCount = 0
    var offset = 8
    walk: while true {
      guard offset + 12 <= bytes.count else { throw damaged("ends before IEND") }
      let length = Int(bytes[offset..<(offset + 4)].bigEndianUInt32(at: 0))
      guard length <= bytes.count - offset - 12 else { throw damaged("ends inside a chunk") }
      let payload = bytes[(offset + 8)..<(offset + 8 + length)]
      let type = bytes[(offset + 4)..<(offset + 8)].bigEndianUInt32(at: 0)
      guard header != nil || (type == Self.ihdr && length == 13) else { throw damaged("no IHDR") }
      switch type {
      case Self.ihdr: header = header ?? payload
      case Self.idat: dataCount += length
      case Self.trns: hasTransparency = true
      case Self.exif: orientation = Orientation(exif: payload) ?? .up
      case Self.iend: break walk
      default: break
      }
      offset += 12 + length
    }
    guard let header, dataCount > 0 else { throw damaged("no pixels") }
    let colorType = header[header.startIndex + 9]
    let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType]
    guard let channels else { throw damaged("unknown colour type") }
    size = PixelSize(
      width: Int(header.bigEndianUInt32(at: 0)), height: Int(header.bigEndianUInt32(at: 4)))
    bitsPerPixel = channels * Int(header[header.startIndex + 8])
    isInterlaced = header[header.startIndex + 12] != 0
    hasAlpha = hasTransparency || colorType & 4 != 0
    self.orientation = orientation
    self.dataCount = dataCount
  }

  /// Whether the packed bytes can hold all pixels: deflate makes at most 1032 bytes of one. A few bytes that
  /// claim a huge picture are told so without memory for it.
  ///
  /// - Precondition: sides are below 2³¹, as limits see to.
  var isPlausible: Bool {
    let bytesPerRow = (size.width * bitsPerPixel + 7) / 8
    let (needed, overflow) = bytesPerRow.multipliedReportingOverflow(by: size.height)
    return !overflow && needed / 1032 <= dataCount
  }

  private static let ihdr: UInt32 = 0x4948_4452
  private static let idat: UInt32 = 0x4944_4154
  private static let trns: UInt32 = 0x7452_4E53
  private static let exif: UInt32 = 0x6558_4966
  private static let iend: UInt32 = 0x4945_4E44
}
