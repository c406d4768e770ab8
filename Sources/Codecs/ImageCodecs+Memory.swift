import VitrineGraphics
public import VitrineLoading

extension ImageCodecs {
  /// What the result takes, and what of the source has to be held whole: a look at the header, some hundred
  /// nanoseconds. Bytes that are no picture need nothing.
  public func memoryNeeded(for data: [UInt8], options: DecodeOptions) -> Int {
    // Straight to its place, unless it is cropped.
    Self.memoryNeeded(for: data, options) {
      $0.isScaledByLibwebp && options.target?.mode == .fill ? (1, 1) : (1, 0)
    }
  }

  /// What a picture in part takes at once, with what `ProgressiveDecoder` keeps.
  static func memoryNeeded(
    forPartOf data: [UInt8], _ style: ImageRequest.Progressive, options: DecodeOptions
  ) -> Int {
    memoryNeeded(for: data, options) { header in
      guard style == .scans || header.comesInPasses else { return nil }
      // Rows are collected, unless each part is made anew of what is held.
      let isCollected = header.heldBytes == 0 || header.format == .webp
      // A blur copies the picture, and each pass that copy.
      let copies = style == .blurred ? 3 : 1
      return (copies + (isCollected ? 1 : 0), header.isScaledByLibwebp ? 1 : 0)
    }
  }

  /// - Parameter copies: how many pictures of the size of the result there are at once, and of what libwebp scales; nil
  ///   where none is made.
  private static func memoryNeeded(
    for data: [UInt8], _ options: DecodeOptions, copies: (HeaderSize) -> (result: Int, scaled: Int)?
  ) -> Int {
    guard let header = HeaderSize(data), header.width > 0, header.height > 0,
      let (result, scaled) = copies(header)
    else { return 0 }
    let output = options.outputSize(sourceWidth: header.width, sourceHeight: header.height)
    // Twice a side where the size wanted is not in whole pixels, as it is only where a side is cropped.
    let count = result + scaled * (options.target?.mode == .fill ? 4 : 1)
    // Sides have 32 bits at most, and a decoder refuses what is larger than its limits.
    let limit = options.limits.pixels
      .multipliedReportingOverflow(by: (1 + count) * PixelFormat.bytesPerPixel)
    let needed = output.0.multipliedReportingOverflow(by: output.1 * PixelFormat.bytesPerPixel * count)
    let (sum, overflow) = needed.partialValue.addingReportingOverflow(header.heldBytes)
    let isTooMuch = overflow || needed.overflow || sum < 0
    return min(
      isTooMuch ? .max : sum, limit.overflow || limit.partialValue < 0 ? 1 << 40 : limit.partialValue)
  }
}

/// What the first bytes of a picture say of its size, taken as they are.
private struct HeaderSize {
  private(set) var format = ImageFormat.raw
  private(set) var width = 0
  private(set) var height = 0
  /// Bytes of the source that are held while it is decoded, beside the result.
  private(set) var heldBytes = 0
  /// Whether libwebp unpacks it row by row and scales it, to a memory of its own.
  var isScaledByLibwebp: Bool { format == .webp && heldBytes == 0 }
  /// Whether the whole of it comes coarse first: in scans, or interlaced.
  var comesInPasses: Bool { (format == .jpeg || format == .png) && heldBytes > 0 }

  init?(_ bytes: [UInt8]) {
    guard let format = ImageSignature.format(of: bytes) else { return nil }
    self.format = format
    switch format {
    case .jpeg: readJPEG(bytes)
    case .png: readPNG(bytes)
    case .webp: readWebP(bytes)
    case .gif: readGIF(bytes)
    case .raw: return nil
    }
  }

  private mutating func hold(bytesPerPixel: Int) {
    let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
    heldBytes = overflow || pixels > Int.max / 8 ? .max : pixels * bytesPerPixel
  }

  /// ISO 15948: IHDR comes first; its last byte says whether rows come in passes.
  private mutating func readPNG(_ bytes: [UInt8]) {
    guard bytes.count > 28 else { return }
    width = Self.big(bytes[16..<20])
    height = Self.big(bytes[20..<24])
    if bytes[28] != 0 { hold(bytesPerPixel: PixelFormat.bytesPerPixel) }
  }

  /// The logical screen. An index a pixel is unpacked before any is drawn.
  private mutating func readGIF(_ bytes: [UInt8]) {
    guard bytes.count >= 10 else { return }
    width = Self.little(bytes[6..<8])
    height = Self.little(bytes[8..<10])
    hold(bytesPerPixel: 1)
  }

  /// RFC 9649: lossless pixels, those with alpha and those of a frame of an animation are unpacked whole.
  private mutating func readWebP(_ bytes: [UInt8]) {
    guard bytes.count >= 25 else { return }
    switch String(decoding: bytes[12..<16], as: UTF8.self) {
    case "VP8X" where bytes.count >= 30:
      width = Self.little(bytes[24..<27]) + 1
      height = Self.little(bytes[27..<30]) + 1
      if bytes[20] & 0x12 != 0 { hold(bytesPerPixel: PixelFormat.bytesPerPixel) }
    case "VP8L":
      let bits = Self.little(bytes[21..<25])
      width = bits & 0x3FFF + 1
      height = bits >> 14 & 0x3FFF + 1
      hold(bytesPerPixel: PixelFormat.bytesPerPixel)
    case "VP8 " where bytes.count >= 30:
      width = Self.little(bytes[26..<28]) & 0x3FFF
      height = Self.little(bytes[28..<30]) & 0x3FFF
    default: break
    }
  }

  /// ITU-T T.81: segments up to the first scan. A picture of several scans holds two bytes for each of its coefficients:
  /// a progressive one, and one whose first scan has not all components.
  private mutating func readJPEG(_ bytes: [UInt8]) {
    var place = 2
    var components: ArraySlice<UInt8> = []
    while place + 9 < bytes.count, bytes[place] == 0xFF {
      let marker = bytes[place + 1]
      if marker == 0xFF {
        place += 1
        continue
      }
      switch marker {
      case 0xC4, 0xC8, 0xCC: break  // tables, between the numbers of frames
      case 0xC0...0xCF:
        height = Self.big(bytes[(place + 5)..<(place + 7)])
        width = Self.big(bytes[(place + 7)..<(place + 9)])
        components = bytes[(place + 9)...]
        if [0xC2, 0xC6, 0xCA, 0xCE].contains(marker) { return holdCoefficients(components) }
      case 0xDA:
        if bytes[place + 4] < components.first ?? 0 { holdCoefficients(components) }
        return
      default: break
      }
      place += 2 + max(2, Self.big(bytes[(place + 2)..<(place + 4)]))
    }
  }

  private mutating func holdCoefficients(_ components: ArraySlice<UInt8>) {
    let count = Int(components.first ?? 0)
    let samplings = (0..<count).compactMap { index -> Int? in
      let place = components.startIndex + 2 + index * 3
      guard place < components.endIndex else { return nil }
      return Int(components[place] >> 4) * Int(components[place] & 15)
    }
    let largest = max(1, samplings.max() ?? 1)
    heldBytes = samplings.reduce(0) { $0 + width * height * 2 * $1 / largest }
  }

  private static func big(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
  private static func little(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
