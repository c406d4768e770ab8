import CCodecs
import Glibc

/// A color profile (ICC.1:2010) embedded in an image. The bytes are untrusted.
struct ICCProfile {
  let bytes: [UInt8]

  /// The maximum size in bytes: 4 MiB. Profiles have some hundred kilobytes at most, except those of printers.
  static let largest = 4 << 20
  private static let headerLength = 132

  /// Returns `nil` if `bytes` are not a profile, or exceed `largest`.
  init?(_ bytes: [UInt8]) {
    guard (Self.headerLength...Self.largest).contains(bytes.count), bytes[36..<40].elementsEqual("acsp".utf8)
    else { return nil }
    self.bytes = bytes
    guard !repeatsElements else { return nil }
  }

  /// Reads the content of PNG's iCCP chunk: a name, a zero byte, the compression method and a zlib stream. Decompresses
  /// no more bytes than the profile declares in its header.
  init?(packed chunk: ArraySlice<UInt8>) {
    guard let (stream, count) = Self.packedStream(chunk) else { return nil }
    self.init(Self.inflate(stream, count: count))
  }

  /// The unpacked length of a compressed profile; `nil` if `chunk` is no valid profile or the profile is too large.
  static func byteCount(packed chunk: ArraySlice<UInt8>) -> Int? { packedStream(chunk)?.count }

  private static func packedStream(_ chunk: ArraySlice<UInt8>) -> (stream: ArraySlice<UInt8>, count: Int)? {
    guard let end = chunk.prefix(80).firstIndex(of: 0), end + 2 <= chunk.endIndex, chunk[end + 1] == 0 else {
      return nil
    }
    let stream = chunk[(end + 2)...]
    let header = inflate(stream, count: headerLength)
    guard header.count == headerLength else { return nil }
    let count = header[...].bigEndianCount(at: 0)
    // The maximum compression ratio of deflate is 1032.
    guard (headerLength...largest).contains(count), count / 1032 <= stream.count else { return nil }
    return (stream, count)
  }

  private static func inflate(_ stream: ArraySlice<UInt8>, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { target, made in
      made = stream.withUnsafeBufferPointer {
        vitrine_inflate($0.baseAddress, $0.count, target.baseAddress, count)
      }
    }
  }

  /// The color model of the profile; `nil` for models that images do not use here.
  var colors: ColorConversion.Model? {
    switch String(decoding: bytes[16..<20], as: UTF8.self) {
    case "RGB ": .rgb
    case "GRAY": .gray
    case "CMYK": .cmyk
    default: nil
    }
  }
}

extension ICCProfile {
  /// True if the profile describes sRGB, which is the default without a profile: the primaries of sRGB adapted to D50,
  /// and its transfer curve.
  var isSRGB: Bool {
    let colorants = [
      ("rXYZ", [0.4361, 0.2225, 0.0139]), ("gXYZ", [0.3851, 0.7169, 0.0971]),
      ("bXYZ", [0.1431, 0.0606, 0.7141]),
    ]
    let curve = [(0.1, 0.01002), (0.5, 0.21404), (0.8, 0.60383)]
    return colors == .rgb && tag("A2B0") == nil
      && colorants.allSatisfy { name, expected in
        guard let tag = tag(name), tag.count >= 20 else { return false }
        return expected.indices.allSatisfy { abs(Self.number(tag, at: 8 + 4 * $0) - expected[$0]) < 0.002 }
      }
      && ["rTRC", "gTRC", "bTRC"].allSatisfy { name in
        guard let tag = tag(name) else { return false }
        return curve.allSatisfy { x, y in abs((Self.curve(tag, at: x) ?? -1) - y) < 0.002 }
      }
  }

  /// Returns the content of a tag, including its type signature.
  private func tag(_ name: String) -> ArraySlice<UInt8>? {
    let count = min(bytes[128...].bigEndianCount(at: 0), 100)
    for index in 0..<count {
      let entry = Self.headerLength + 12 * index
      guard entry + 12 <= bytes.count else { return nil }
      guard bytes[entry..<(entry + 4)].elementsEqual(name.utf8) else { continue }
      let offset = bytes[entry...].bigEndianCount(at: 4)
      let length = bytes[entry...].bigEndianCount(at: 8)
      guard length >= 12, offset <= bytes.count - length else { return nil }
      return bytes[offset..<(offset + length)]
    }
    return nil
  }

  /// True if a tag of processing elements (ICC.1:2010, 10.14) may have elements that share bytes. Little CMS unpacks
  /// each of them, so that a profile of some hundred kilobytes would take gigabytes. Profiles have a handful of elements.
  private var repeatsElements: Bool {
    let count = min(bytes[128...].bigEndianCount(at: 0), 100)
    return (0..<count).contains { index in
      let entry = Self.headerLength + 12 * index
      guard entry + 12 <= bytes.count else { return false }
      let offset = bytes[entry...].bigEndianCount(at: 4)
      guard offset <= bytes.count - 16, bytes[offset..<(offset + 4)].elementsEqual("mpet".utf8) else {
        return false
      }
      let elements = bytes[offset...].bigEndianCount(at: 12)
      return elements > 8 || elements * bytes.count > Self.largest
    }
  }

  /// Reads a fixed-point number with 16 fractional bits.
  private static func number(_ bytes: ArraySlice<UInt8>, at offset: Int) -> Double {
    Double(Int32(bitPattern: bytes.bigEndianUInt32(at: offset))) / 65_536
  }

  /// Returns the value of a transfer curve at `x`, from 0 to 1. The curve is a table, or a formula of the type that
  /// sRGB uses.
  private static func curve(_ tag: ArraySlice<UInt8>, at x: Double) -> Double? {
    if tag.starts(with: "curv".utf8) {
      let count = tag.bigEndianCount(at: 8)
      guard count > 1, count <= (tag.count - 12) / 2 else { return nil }
      let position = x * Double(count - 1)
      let entry = min(Int(position), count - 2)
      func value(_ index: Int) -> Double { Double(tag.bigEndianUInt16(at: 12 + 2 * index)) / 65_535 }
      return value(entry) + (value(entry + 1) - value(entry)) * (position - Double(entry))
    }
    guard tag.starts(with: "para".utf8), tag.bigEndianUInt16(at: 8) == 3, tag.count >= 32 else { return nil }
    let terms = (0..<5).map { number(tag, at: 12 + 4 * $0) }
    return x >= terms[4] ? pow(terms[1] * x + terms[2], terms[0]) : terms[3] * x
  }
}
