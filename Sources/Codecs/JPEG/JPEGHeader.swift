import VitrineGraphics
import VitrineLoading

/// The size and the coding of a JPEG, read from the segments before the first scan.
struct JPEGHeader {
  /// The sampling factors of a component, 1 to 4 each.
  struct Component {
    let horizontal, vertical: Int
  }

  private(set) var size = PixelSize(width: 0, height: 0)
  private(set) var components: [Component] = []
  private(set) var isProgressive = false
  /// True for arithmetic coding. A code may then take less than a bit, so that the number of bytes says nothing about the
  /// number of pixels.
  private(set) var isArithmetic = false
  /// True for samples of 8 bits in a process that libjpeg decodes.
  private(set) var isSupported = false
  /// True for sequential DCT with Huffman coding (ITU T.81, table B.1).
  private(set) var isSequential = false
  /// True if libjpeg keeps all coefficients in memory: the image is progressive, or its first scan lacks a component.
  private(set) var hasMultipleScans = false
  /// The size of the color profile's segments in bytes.
  private(set) var profileBytes = 0

  /// Returns `nil` if there is no frame header, or no scan after the frame header.
  init?(_ bytes: [UInt8]) {
    for (marker, payload) in JPEGSegments(bytes) {
      switch marker {
      case 0xC4, 0xC8, 0xCC: break  // DHT, JPG and DAC share the range of the frame markers
      case 0xC0...0xCF:
        guard components.isEmpty, readFrame(payload, marker) else { return nil }
      case _ where JPEGSegments.isProfile(marker, payload): profileBytes += payload.count
      case JPEGSegments.startOfScan:
        guard !components.isEmpty, let count = payload.first else { return nil }
        hasMultipleScans = isProgressive || Int(count) < components.count
        return
      default: break
      }
    }
    return nil
  }

  private mutating func readFrame(_ payload: ArraySlice<UInt8>, _ marker: UInt8) -> Bool {
    guard payload.count >= 6 else { return false }
    let fields = Array(payload)
    let count = Int(fields[5])
    guard count > 0, fields.count >= 6 + 3 * count else { return false }
    size = PixelSize(
      width: Int(fields[3]) << 8 | Int(fields[4]), height: Int(fields[1]) << 8 | Int(fields[2]))
    components = (0..<count).map { index in
      let factors = Int(fields[7 + 3 * index])
      return Component(horizontal: min(4, max(1, factors >> 4)), vertical: min(4, max(1, factors & 15)))
    }
    isProgressive = [0xC2, 0xC6, 0xCA, 0xCE].contains(marker)
    isArithmetic = marker >= 0xC8
    isSupported = fields[0] == 8 && [0xC0, 0xC1, 0xC2, 0xC9, 0xCA].contains(marker)
    isSequential = marker <= 0xC1
    return true
  }

  /// The form of the colors after libjpeg has converted them to RGB, which it does not with four components.
  var colorModel: ColorConversion.Model {
    switch components.count {
    case 1: .gray
    case 4: .cmyk
    default: .rgb
    }
  }

  /// Returns false if `byteCount` bytes cannot hold all pixels, so that a few bytes that declare a huge image are
  /// refused before memory is allocated. In a single scan, each block of 64 samples takes at least two Huffman codes of
  /// one bit: one for its mean and one for its end.
  func isPlausible(byteCount: Int) -> Bool {
    if hasMultipleScans || isArithmetic { return true }
    let blocks = ((size.width + 7) / 8) * ((size.height + 7) / 8)
    return blocks / 4 <= byteCount
  }

  /// Returns the header of an image of another size.
  func resized(to size: PixelSize) -> JPEGHeader {
    var header = self
    header.size = size
    return header
  }

  /// Returns the bytes that libjpeg-turbo allocates when it decodes at `eighths`/8 of the size.
  ///
  /// Coefficients are allocated for whole rows and columns of MCUs (`jinit_d_coef_controller`). The other buffers hold
  /// a few rows (`jinit_d_main_controller`, `jinit_upsampler`).
  func codecBytes(eighths: Int) -> Int {
    let largest = Component(
      horizontal: components.map(\.horizontal).max() ?? 1, vertical: components.map(\.vertical).max() ?? 1)
    let outputWidth = (size.width * eighths + 7) / 8
    var sum = 0
    for component in components {
      let columns = Self.blocks(size.width, component.horizontal, of: largest.horizontal)
      let rows = Self.blocks(size.height, component.vertical, of: largest.vertical)
      // Each coefficient has two bytes. libjpeg also keeps a pointer to each row of blocks.
      if hasMultipleScans { sum = ByteCount.sum(sum, ByteCount.product(columns, rows, 128), rows * 8) }
      // The sample buffer: one row of blocks, and context rows above and below it.
      sum = ByteCount.sum(sum, columns * 8 * component.vertical * (eighths + 2))
      sum = ByteCount.sum(sum, (outputWidth + 2 * largest.horizontal) * largest.vertical)
    }
    return sum
  }

  /// Returns the number of a component's blocks along one side, rounded up to whole MCUs.
  private static func blocks(_ side: Int, _ factor: Int, of largest: Int) -> Int {
    let blocks = (side * factor + largest * 8 - 1) / (largest * 8)
    return (blocks + factor - 1) / factor * factor
  }
}
