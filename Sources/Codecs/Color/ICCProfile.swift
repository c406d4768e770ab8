import CCodecs
import Glibc

/// A colour profile (ICC.1:2010) as pictures carry it, read without trust.
struct ICCProfile {
  let bytes: [UInt8]

  /// A profile has some hundred kilobytes at most, but for those of printers.
  static let largest = 4 << 20
  private static let headerLength = 132

  /// Nil for what is no profile, or too large for one.
  init?(_ bytes: [UInt8]) {
    guard (Self.headerLength...Self.largest).contains(bytes.count),
      bytes[36..<40].elementsEqual("acsp".utf8)
    else { return nil }
    self.bytes = bytes
  }

  /// The content of PNG's iCCP chunk: a name, a zero, the method and a zlib stream, of which no more is unpacked than
  /// the profile says in its first bytes that it has.
  init?(packed chunk: ArraySlice<UInt8>) {
    guard let (stream, count) = Self.packedStream(chunk) else { return nil }
    self.init(Self.inflate(stream, count: count))
  }

  /// The unpacked length of a compressed profile; `nil` if `chunk` is no valid profile or the profile is too large.
  static func byteCount(packed chunk: ArraySlice<UInt8>) -> Int? { packedStream(chunk)?.count }

  private static func packedStream(
    _ chunk: ArraySlice<UInt8>
  ) -> (stream: ArraySlice<UInt8>, count: Int)? {
    guard let end = chunk.prefix(80).firstIndex(of: 0), end + 2 <= chunk.endIndex, chunk[end + 1] == 0 else {
      return nil
    }
    let stream = chunk[(end + 2)...]
    let header = inflate(stream, count: headerLength)
    guard header.count == headerLength else { return nil }
    let count = header[...].bigEndianCount(at: 0)
    // Deflate makes at most 1032 bytes of one.
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

  /// The model of its colours; nil for others than pictures here have.
  var colors: ColorConversion.Model? {
    switch String(decoding: bytes[16..<20], as: UTF8.self) {
    case "RGB ": .rgb
    case "GRAY": .gray
    case "CMYK": .inks
    default: nil
    }
  }
}

extension ICCProfile {
  /// Whether it says what is taken for granted without it: the colourants of sRGB seen under D50, and its curve.
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

  /// What a tag holds, its type first.
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

  /// A fraction of 16 bits below the point.
  private static func number(_ bytes: ArraySlice<UInt8>, at offset: Int) -> Double {
    Double(Int32(bitPattern: bytes.bigEndianUInt32(at: offset))) / 65_536
  }

  /// The value of a curve between 0 and 1: a table, or the formula that sRGB has.
  private static func curve(_ tag: ArraySlice<UInt8>, at x: Double) -> Double? {
    if tag.starts(with: "curv".utf8) {
      let count = tag.bigEndianCount(at: 8)
      guard count > 1, count <= (tag.count - 12) / 2 else { return nil }
      let place = x * Double(count - 1)
      let entry = min(Int(place), count - 2)
      func value(_ index: Int) -> Double { Double(tag.bigEndianUInt16(at: 12 + 2 * index)) / 65_535 }
      return value(entry) + (value(entry + 1) - value(entry)) * (place - Double(entry))
    }
    guard tag.starts(with: "para".utf8), tag.bigEndianUInt16(at: 8) == 3, tag.count >= 32 else { return nil }
    let terms = (0..<5).map { number(tag, at: 12 + 4 * $0) }
    return x >= terms[4] ? pow(terms[1] * x + terms[2], terms[0]) : terms[3] * x
  }
}
