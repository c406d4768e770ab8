import VitrineGraphics
import VitrineLoading

/// The header of a record in a pack. The pixels follow: four bytes per pixel, rows from top to bottom without padding.
///
///     8   magic bytes with the version of the format, `vitpix01`
///     16  hash of everything from here to the end of the header
///     4   byte order of the machine that wrote the record
///     1   order of a pixel's bytes
///     1   rendering mode
///     1   flags: opaque, animated, with metadata
///     1   0
///     8   encoding of the source, as text
///     8   width, height
///     8   width and height of the source
///     8   scale
///     32  digest of the key
///     16  digest of the body
///     16  hash of the pixels
///
/// With metadata, the header goes on:
///
///     8   time at which the image was taken, as decimal digits; 0 if it is not known
///     240 title in UTF-8, filled up with zeros
///
/// Numbers are little-endian, except for the byte order. A change of the format changes the magic bytes.
struct PixelRecord: Hashable {
  static let magic = Array("vitpix01".utf8)
  /// The length of a header without metadata in bytes.
  static let headerLength = 128
  private static let metadataLength = 8 + ImageMetadata.titleByteLimit
  /// Written in the byte order of the machine, so that another machine reads another number.
  static let byteOrder: UInt32 = 0x0403_0201
  private static let formatLength = 8

  let keyDigest: [UInt8]
  let body: BodyDigest
  let pixelHash: ContentHash
  let width, height, sourceWidth, sourceHeight: Int
  let scale: Double
  let pixelFormat: PixelFormat
  let format: ImageFormat
  let renderingMode: Image.RenderingMode
  let isOpaque, isAnimated: Bool
  let metadata: ImageMetadata?

  /// Returns the length of a header in bytes.
  static func headerLength(hasMetadata: Bool) -> Int { headerLength + (hasMetadata ? metadataLength : 0) }

  /// Describes the first frame of an image; nil if a record cannot hold the image.
  init?(
    _ image: Image, isAnimated: Bool, keyDigest: [UInt8], body: BodyDigest, pixelHash: ContentHash
  ) {
    let sizes = [image.pixelWidth, image.pixelHeight, image.sourceWidth, image.sourceHeight]
    guard sizes.allSatisfy({ UInt32(exactly: $0) != nil }), keyDigest.count == PixelName.digestLength,
      image.format.rawValue.utf8.count <= Self.formatLength, image.scale > 0, image.scale.isFinite
    else { return nil }
    (width, height, sourceWidth, sourceHeight) = (sizes[0], sizes[1], sizes[2], sizes[3])
    (self.keyDigest, self.body, self.pixelHash) = (keyDigest, body, pixelHash)
    (scale, format, renderingMode) = (image.scale, image.format, image.renderingMode)
    (pixelFormat, isOpaque) = (image.bitmap.format, image.bitmap.isOpaque)
    self.isAnimated = isAnimated || image.isAnimated
    metadata = image.metadata
  }

  // MARK: Writing

  /// The header.
  var bytes: [UInt8] {
    var content = ByteWriter()
    content.append(raw: withUnsafeBytes(of: Self.byteOrder) { Array($0) })
    content.append(UInt8(pixelFormat == .rgba ? 1 : 0))
    content.append(modeCode)
    content.append(UInt8((isOpaque ? 1 : 0) | (isAnimated ? 2 : 0) | (metadata == nil ? 0 : 4)))
    content.append(UInt8(0))
    content.append(raw: Self.padded(format.rawValue, to: Self.formatLength))
    for size in [width, height, sourceWidth, sourceHeight] { content.append(UInt32(clamping: size)) }
    content.append(scale.bitPattern)
    content.append(raw: keyDigest)
    content.append(ContentHash(body))
    content.append(pixelHash)
    if let metadata {
      content.append(metadata.captureTime?.digits ?? 0)
      content.append(raw: Self.padded(metadata.title ?? "", to: ImageMetadata.titleByteLimit))
    }
    var header = ByteWriter()
    header.append(raw: Self.magic)
    header.append(ContentHash(content.bytes))
    header.append(raw: content.bytes)
    return header.bytes
  }

  /// Returns the bytes of a text, filled up with zeros.
  private static func padded(_ text: String, to length: Int) -> [UInt8] {
    text.utf8 + [UInt8](repeating: 0, count: max(0, length - text.utf8.count))
  }

  private var modeCode: UInt8 {
    switch renderingMode {
    case .automatic: 0
    case .alwaysOriginal: 1
    case .alwaysTemplate: 2
    }
  }

  // MARK: Reading

  /// Parses a header; nil if the header is damaged, or was written by another version or on another kind of machine.
  init?(_ header: [UInt8]) {
    guard header.count >= Self.headerLength else { return nil }
    var reader = ByteReader(header[...])
    guard reader.bytes(Self.magic.count) == Self.magic[...],
      let hash = reader.hash(),
      header.withUnsafeBytes({ ContentHash(UnsafeRawBufferPointer(rebasing: $0[24...])) }) == hash,
      let order = reader.bytes(4), withUnsafeBytes(of: Self.byteOrder, { $0.elementsEqual(order) }),
      let pixelFormat = reader.number(UInt8.self), pixelFormat <= 1,
      let mode = reader.number(UInt8.self), mode <= 2,
      let flags = reader.number(UInt8.self), flags <= 7, reader.number(UInt8.self) == 0,
      header.count == Self.headerLength(hasMetadata: flags & 4 != 0),
      let format = Self.text(&reader, length: Self.formatLength).flatMap({ ImageFormat(rawValue: $0) }),
      let width = reader.number(UInt32.self), let height = reader.number(UInt32.self),
      let sourceWidth = reader.number(UInt32.self), let sourceHeight = reader.number(UInt32.self),
      let scale = reader.number(UInt64.self).map({ Double(bitPattern: $0) }), scale > 0, scale.isFinite,
      let keyDigest = reader.bytes(PixelName.digestLength), let body = reader.hash(),
      let pixelHash = reader.hash(), width > 0, height > 0
    else { return nil }
    metadata = flags & 4 == 0 ? nil : Self.metadata(&reader)
    guard (metadata != nil) == (flags & 4 != 0) else { return nil }
    (self.width, self.height) = (Int(width), Int(height))
    (self.sourceWidth, self.sourceHeight) = (Int(sourceWidth), Int(sourceHeight))
    (self.scale, self.format) = (scale, format)
    self.pixelFormat = pixelFormat == 1 ? .rgba : .bgra
    renderingMode = [.automatic, .alwaysOriginal, .alwaysTemplate][Int(mode)]
    (isOpaque, isAnimated) = (flags & 1 != 0, flags & 2 != 0)
    (self.keyDigest, self.body, self.pixelHash) = (Array(keyDigest), BodyDigest(body), pixelHash)
  }

  /// Reads a text that is filled up with zeros; nil if it is not UTF-8, or other bytes follow.
  private static func text(_ reader: inout ByteReader, length: Int) -> String? {
    guard let bytes = reader.bytes(length), bytes.drop(while: { $0 != 0 }).allSatisfy({ $0 == 0 }) else {
      return nil
    }
    return String(utf8: bytes.prefix { $0 != 0 })
  }

  private static func metadata(_ reader: inout ByteReader) -> ImageMetadata? {
    guard let digits = reader.number(UInt64.self),
      let title = text(&reader, length: ImageMetadata.titleByteLimit)
    else { return nil }
    let time = CaptureTime(digits: digits)
    guard (time == nil) == (digits == 0) else { return nil }
    let metadata = ImageMetadata(captureTime: time, title: title)
    // A title that is not written as this version writes it.
    return metadata?.title ?? "" == title ? metadata : nil
  }

  /// Returns the image of these pixels, which the caller has verified.
  func image(_ pixels: PixelBuffer) -> Image {
    let bitmap = Bitmap(
      width: width, height: height, format: pixelFormat, isOpaque: isOpaque, filled: pixels)
    return Image(
      bitmap, scale: scale, format: format, sourceWidth: sourceWidth, sourceHeight: sourceHeight,
      metadata: metadata
    ).withRenderingMode(renderingMode)
  }
}

extension ContentHash {
  init(_ digest: BodyDigest) { self.init(high: digest.high, low: digest.low) }
}
