/// The segments of a JPEG stream up to the header of the first scan (ITU-T T.81, annex B). The bytes are untrusted. As
/// in libjpeg, bytes between segments are skipped.
struct JPEGSegments: Sequence, IteratorProtocol {
  static let startOfScan: UInt8 = 0xDA
  private static let profileName = Array("ICC_PROFILE\0".utf8)

  /// The maximum number of bytes 0xFF that are looked at. Images have some hundred segments, each of which may be as
  /// small as two bytes.
  private static let largestMarkerCount = 1 << 16

  private let bytes: [UInt8]
  private var offset = 2
  private var markerCount = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the next segment; `nil` after the header of a scan, where the bytes end early, and if there are too many.
  mutating func next() -> (marker: UInt8, payload: ArraySlice<UInt8>)? {
    while let marker = nextMarker() {
      switch marker {
      case 0x01, 0xD0...0xD7: continue  // markers without a length field
      case 0xD8, 0xD9: return nil
      default: break
      }
      guard offset + 2 <= bytes.count else { return nil }
      let length = Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
      guard length <= bytes.count - offset else { return nil }
      // As in libjpeg, a segment whose length does not count the length field itself is empty.
      let end = offset + Swift.max(length, 2)
      let payload = bytes[(offset + 2)..<end]
      // The header of a scan is followed by codes, which are no segments.
      offset = marker == Self.startOfScan ? bytes.count : end
      return (marker, payload)
    }
    return nil
  }

  /// Returns the next marker and moves to the byte after the marker.
  private mutating func nextMarker() -> UInt8? {
    while let start = bytes[Swift.min(offset, bytes.count)...].firstIndex(of: 0xFF) {
      markerCount += 1
      guard markerCount <= Self.largestMarkerCount else { return nil }
      offset = start
      while offset < bytes.count, bytes[offset] == 0xFF { offset += 1 }
      guard offset < bytes.count else { return nil }
      let marker = bytes[offset]
      offset += 1
      if marker != 0 { return marker }
    }
    return nil
  }

  /// The orientation in the first Exif segment; `.up` if there is none or it is damaged.
  var orientation: Orientation { exif.flatMap { Orientation(tiff: $0) } ?? .up }

  /// The TIFF stream in the first Exif segment.
  var exif: ArraySlice<UInt8>? {
    let name = "Exif\0\0".utf8
    let segment = first { $0.marker == 0xE1 && $0.payload.starts(with: name) }
    return segment?.payload.dropFirst(name.count)
  }

  /// True if a segment holds a part of the color profile.
  static func isProfile(_ marker: UInt8, _ payload: ArraySlice<UInt8>) -> Bool {
    marker == 0xE2 && payload.starts(with: profileName)
  }

  /// The color profile, joined from its segments (ICC.1:2010, annex B.4). Each segment holds its number and the number
  /// of segments. `nil` if there is none, or a segment is missing.
  var profile: ICCProfile? {
    var parts: [UInt8: ArraySlice<UInt8>] = [:]
    var count: UInt8 = 0
    for (marker, payload) in self where Self.isProfile(marker, payload) {
      let part = payload.dropFirst(Self.profileName.count)
      guard let number = part.first, let partCount = part.dropFirst().first else { continue }
      if parts[number] == nil { parts[number] = part.dropFirst(2) }
      count = Swift.max(count, partCount)
    }
    guard count > 0, (1...count).allSatisfy({ parts[$0] != nil }),
      parts.values.reduce(0, { $0 + $1.count }) <= ICCProfile.largest
    else { return nil }
    return ICCProfile((1...count).flatMap { parts[$0] ?? [] })
  }
}
