/// The segments before the first scan of a JPEG stream (ITU-T T.81, annex B). The bytes are untrusted.
struct JPEGSegments {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The orientation in the first Exif segment; `.up` if there is none or it is damaged.
  var orientation: Orientation {
    var offset = 2
    while let segment = segment(at: offset) {
      let application1: UInt8 = 0xE1
      let payload = bytes[segment.payload]
      if segment.marker == application1, payload.starts(with: Array("Exif\0\0".utf8)) {
        return Orientation(exif: payload) ?? .up
      }
      offset = segment.payload.upperBound
    }
    return .up
  }

  /// The color profile, joined from its segments (ICC.1:2010, annex B.4). Each segment holds its number and the number
  /// of segments. `nil` if there is none, or a segment is missing.
  var profile: ICCProfile? {
    let header = Array("ICC_PROFILE\0".utf8)
    var parts: [UInt8: ArraySlice<UInt8>] = [:]
    var count: UInt8 = 0
    var offset = 2
    while let segment = segment(at: offset) {
      offset = segment.payload.upperBound
      let application2: UInt8 = 0xE2
      let payload = bytes[segment.payload]
      guard segment.marker == application2, payload.starts(with: header) else { continue }
      let part = payload.dropFirst(header.count)
      guard let number = part.first, let partCount = part.dropFirst().first else { continue }
      if parts[number] == nil { parts[number] = part.dropFirst(2) }
      count = max(count, partCount)
    }
    guard count > 0, (1...count).allSatisfy({ parts[$0] != nil }),
      parts.values.reduce(0, { $0 + $1.count }) <= ICCProfile.largest
    else { return nil }
    return ICCProfile((1...count).flatMap { parts[$0] ?? [] })
  }

  /// Returns the segment at `offset`; `nil` at the first scan, at the end, and where there is no marker.
  private func segment(at offset: Int) -> (marker: UInt8, payload: Range<Int>)? {
    guard offset < bytes.count, bytes[offset] == 0xFF else { return nil }
    var position = offset
    // Any number of fill bytes may precede a marker.
    while position < bytes.count, bytes[position] == 0xFF { position += 1 }
    guard position + 3 <= bytes.count else { return nil }
    let marker = bytes[position]
    let startOfScan: UInt8 = 0xDA
    let endOfImage: UInt8 = 0xD9
    guard marker != startOfScan, marker != endOfImage else { return nil }
    let length = Int(bytes[position + 1]) << 8 | Int(bytes[position + 2])
    guard length >= 2, position + 1 + length <= bytes.count else { return nil }
    return (marker, (position + 3)..<(position + 1 + length))
  }
}
