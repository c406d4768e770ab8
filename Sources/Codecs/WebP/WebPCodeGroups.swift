import VitrineGraphics
import VitrineLoading

/// A reader that counts the groups of prefix codes of a lossless WebP image (RFC 9649, section 3.7.2) without unpacking
/// its pixels.
///
/// libwebp allocates 12 to 21 KiB of tables for each group, and a file can declare a group with twenty bits. A file of
/// a few hundred kilobytes can therefore make libwebp allocate hundreds of megabytes. The header does not show this.
struct WebPCodeGroups {
  /// The maximum number of groups. libwebp's encoder writes at most 2,600.
  static let limit = 2600

  /// The groups of one image.
  struct Tables: Equatable {
    var groups = 0
    /// The number of colors in the cache; 0 if there is none.
    var cacheSize = 0

    /// The number of bytes that libwebp 1.2 allocates (`kTableSize`, `HTreeGroup`): 2,956 entries of four bytes for
    /// each group, an entry for each color in the cache, and the group itself.
    var bytes: Int {
      ByteCount.product(groups, ByteCount.sum(ByteCount.product(2956 + cacheSize, 4), 568))
    }

    /// Returns the largest tables that a frame of `pixels` pixels in `byteCount` bytes can need.
    static func largest(pixels: Int, byteCount: Int) -> Tables {
      let groups = min(limit, pixels / 16 + 1, ByteCount.product(byteCount, 8) / 20 + 1)
      return Tables(groups: groups, cacheSize: 1 << 11)
    }
  }

  /// Returns the groups of a lossless image, or of losslessly packed alpha; `nil` if the data are incomplete or
  /// damaged. Throws `.decoding` if there are more groups than `limit` or a transform is repeated, which libwebp
  /// refuses, and `.cancelled`.
  ///
  /// - Parameters:
  ///   - frame: A VP8L chunk, or an ALPH chunk followed by other chunks.
  ///   - size: The size of the frame.
  ///   - bitLimit: The maximum number of bits to read. An image with more bits before its groups counts as incomplete.
  static func tables(
    of frame: UnsafeBufferPointer<UInt8>, size: PixelSize, cancellation: DecodeCancellation,
    bitLimit: Int = .max
  ) throws(ImageError) -> Tables? {
    guard frame.count > 8 else { return nil }
    var reader = WebPCodeGroups(
      UnsafeBufferPointer(rebasing: frame[8...]), cancellation: cancellation, bitLimit: bitLimit)
    switch String(decoding: frame[..<4], as: UTF8.self) {
    case "VP8L":
      guard reader.read(8) == 0x2F, reader.read(14) != nil, reader.read(14) != nil, reader.read(4) != nil
      else {
        return nil
      }
    case "ALPH":
      let isPacked: UInt8 = 1
      guard let header = reader.read(8), UInt8(header & 3) == isPacked else { return Tables() }
    default: return Tables()
    }
    guard let tables = try reader.tables(size) else { return nil }
    guard tables.groups <= limit else {
      throw .decoding(.webp, message: "more groups of codes than an image has")
    }
    return tables
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private let bitCount: Int
  private let cancellation: DecodeCancellation
  private var bitOffset = 0

  init(
    _ bytes: UnsafeBufferPointer<UInt8>, cancellation: DecodeCancellation = .never, bitLimit: Int = .max
  ) {
    self.bytes = bytes
    bitCount = min(ByteCount.product(bytes.count, 8), bitLimit)
    self.cancellation = cancellation
  }

  /// Returns the groups, starting behind the image header; `nil` if the data are incomplete or damaged.
  mutating func tables(_ size: PixelSize) throws(ImageError) -> Tables? {
    var columns = size.width
    let rows = size.height
    var kinds: Set<Int> = []
    while let isTransform = read(1), isTransform == 1 {
      guard let kind = read(2) else { return nil }
      guard kinds.insert(kind).inserted else { throw .decoding(.webp, message: "a transform is repeated") }
      switch kind {
      case 0, 1:
        guard let bits = read(3), try skipImage(Self.blocks(columns, bits + 2) * Self.blocks(rows, bits + 2))
        else { return nil }
      case 3:
        guard let last = read(8), try skipImage(last + 1) else { return nil }
        // A palette of at most 16 colors packs several pixel indices into one pixel.
        columns = Self.blocks(columns, last < 2 ? 3 : last < 4 ? 2 : last < 16 ? 1 : 0)
      default: break
      }
    }
    guard let cacheSize = readCacheSize(), let hasGroups = read(1) else { return nil }
    guard hasGroups == 1 else { return Tables(groups: 1, cacheSize: cacheSize) }
    guard let bits = read(3) else { return nil }
    let pixels = Self.blocks(columns, bits + 2) * Self.blocks(rows, bits + 2)
    var isUsed = [Bool](repeating: false, count: 1 << 16)
    var (last, used) = (0, 0)
    let isComplete = try skipImage(pixels) { number in
      guard !isUsed[number] else { return }
      isUsed[number] = true
      last = max(last, number)
      used += 1
    }
    guard isComplete else { return nil }
    // libwebp allocates all groups up to the highest number if there are few, otherwise only those in use.
    return Tables(groups: last < 1000 && last < pixels ? last + 1 : used, cacheSize: cacheSize)
  }

  private static func blocks(_ side: Int, _ bits: Int) -> Int { (side + (1 << bits) - 1) >> bits }

  /// Returns the next `count` bits, starting with the lowest bit of each byte; `nil` at the end.
  private mutating func read(_ count: Int) -> Int? {
    guard count <= bitCount - bitOffset else { return nil }
    var value = 0
    for bit in 0..<count {
      value |= Int(bytes[(bitOffset + bit) / 8] >> UInt8((bitOffset + bit) % 8) & 1) << bit
    }
    bitOffset += count
    return value
  }

  /// Returns the size of the color cache; 0 if there is none.
  private mutating func readCacheSize() -> Int? {
    guard let hasCache = read(1) else { return nil }
    guard hasCache == 1 else { return 0 }
    guard let bits = read(4), 1...11 ~= bits else { return nil }
    return 1 << bits
  }

  // MARK: Images of transforms and group numbers

  /// The number of pixels that are skipped between two checks for cancellation.
  private static let pixelsAtOnce = 1 << 16

  /// Skips an image that has a single code group. Returns false if the data are incomplete or damaged.
  ///
  /// - Parameter visitNumber: Called with the group numbers that pixels encode in red and green. Pixels that are copied
  ///   or come from the color cache repeat an earlier number or are 0.
  private mutating func skipImage(
    _ pixelCount: Int, visitNumber: (Int) -> Void = { _ in }
  ) throws(ImageError) -> Bool {
    guard let cacheSize = readCacheSize() else { return false }
    var codes: [PrefixCode] = []
    for size in [256 + 24 + cacheSize, 256, 256, 256, 40] {
      guard let code = readCode(size) else { return false }
      codes.append(code)
    }
    var pixel = 0
    var pixelToCheck = 0
    while pixel < pixelCount {
      if pixel >= pixelToCheck {
        try cancellation.check()
        pixelToCheck = pixel + Self.pixelsAtOnce
      }
      let start = bitOffset
      guard let symbol = next(codes[0]) else { return false }
      if symbol < 256 {
        guard let red = next(codes[1]), next(codes[2]) != nil, next(codes[3]) != nil else { return false }
        visitNumber(red << 8 | symbol)
        pixel += 1
      } else if symbol < 256 + 24 {
        guard let length = readLength(symbol - 256), let distance = next(codes[4]),
          readLength(distance) != nil
        else { return false }
        if pixel == 0 { visitNumber(0) }
        pixel += length
      } else {
        visitNumber(0)
        pixel += 1
      }
      // Each used code has a single symbol and takes no bits: all remaining pixels are the same.
      if bitOffset == start { return true }
    }
    return true
  }

  /// Returns a length or a distance of the LZ77 coding.
  ///
  /// - Parameter prefix: A symbol from 0 to 39, so that the result has at most 20 bits.
  private mutating func readLength(_ prefix: Int) -> Int? {
    guard prefix >= 4 else { return prefix + 1 }
    let extraBits = (prefix - 2) >> 1
    guard let extra = read(extraBits) else { return nil }
    return (2 + prefix & 1) << extraBits + extra + 1
  }

  // MARK: Prefix codes

  /// A canonical prefix code: the number of codes of each length, and the symbols in code order.
  private struct PrefixCode {
    static let maximumLength = 15
    var counts = [Int](repeating: 0, count: maximumLength + 1)
    var symbols: [Int] = []
    /// The symbol of a code that has a single symbol and takes no bits.
    var onlySymbol: Int?

    init(lengths: [Int]) {
      for length in lengths { counts[length] += 1 }
      counts[0] = 0
      for length in 1...Self.maximumLength where counts[length] > 0 {
        symbols += lengths.indices.filter { lengths[$0] == length }
      }
      if symbols.count == 1 { onlySymbol = symbols[0] }
    }
  }

  private mutating func next(_ code: PrefixCode) -> Int? {
    if let onlySymbol = code.onlySymbol { return onlySymbol }
    var (value, first, index) = (0, 0, 0)
    for length in 1...PrefixCode.maximumLength {
      guard let bit = read(1) else { return nil }
      value |= bit
      let count = code.counts[length]
      // The code lengths are damaged: they describe more codes than there can be.
      guard value >= first else { return nil }
      if value - first < count { return code.symbols[index + value - first] }
      index += count
      first = (first + count) << 1
      value <<= 1
    }
    return nil
  }

  private mutating func readCode(_ size: Int) -> PrefixCode? {
    guard let isSimple = read(1) else { return nil }
    return isSimple == 1 ? readSimpleCode(size) : readNormalCode(size)
  }

  private mutating func readSimpleCode(_ size: Int) -> PrefixCode? {
    guard let last = read(1), let isLong = read(1), let first = read(isLong == 1 ? 8 : 1) else { return nil }
    var lengths = [Int](repeating: 0, count: max(size, 256))
    lengths[first] = 1
    if last == 1 {
      guard let second = read(8) else { return nil }
      lengths[second] = 1
    }
    // As in libwebp, a symbol beyond the alphabet does not count. Only the 40 symbols of a distance are fewer than 256.
    return PrefixCode(lengths: Array(lengths.prefix(size)))
  }

  private static let lengthOrder = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]

  private mutating func readNormalCode(_ size: Int) -> PrefixCode? {
    guard let extraCount = read(4) else { return nil }
    var codeLengths = [Int](repeating: 0, count: Self.lengthOrder.count)
    for index in Self.lengthOrder.prefix(4 + extraCount) {
      guard let length = read(3) else { return nil }
      codeLengths[index] = length
    }
    let lengthCode = PrefixCode(lengths: codeLengths)
    guard var remaining = readLengthCount(size) else { return nil }
    var lengths: [Int] = []
    var previous = 8
    while lengths.count < size, remaining > 0 {
      remaining -= 1
      guard let length = next(lengthCode) else { return nil }
      if length < 16 {
        lengths.append(length)
        if length > 0 { previous = length }
        continue
      }
      let (bits, least) = length == 16 ? (2, 3) : length == 17 ? (3, 3) : (7, 11)
      guard let extra = read(bits), lengths.count + least + extra <= size else { return nil }
      lengths += Array(repeating: length == 16 ? previous : 0, count: least + extra)
    }
    return PrefixCode(lengths: lengths)
  }

  /// Returns the number of code lengths that are stored.
  private mutating func readLengthCount(_ size: Int) -> Int? {
    guard let isBounded = read(1) else { return nil }
    guard isBounded == 1 else { return size }
    guard let bits = read(3), let count = read(2 + 2 * bits), count + 2 <= size else { return nil }
    return count + 2
  }
}
