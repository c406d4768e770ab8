import Glibc

/// The scans of a progressive JPEG after the first one that add a bit to its DC coefficients (ITU-T T.81, annex G). All
/// other scans have AC coefficients, and are skipped unseen. The bytes are untrusted.
struct JPEGBitScans {
  /// A scan with one more bit of the DC coefficients.
  struct Scan: Equatable {
    /// The range of the codes in the file.
    var codes: Range<Int>
    /// The index of the component in the frame; `nil` for a scan of all components.
    var component: Int?
    /// The number of MCUs between restart markers; 0 for none.
    var restartInterval: Int
    /// The number of lowest bits that are still missing after the scan.
    var missingBits: Int
  }

  /// The maximum number of scans that are looked at, as in `JPEGReader`.
  private static let largestScanCount = 100

  private(set) var scans: [Scan] = []
  private let bytes: [UInt8]
  private var offset = 2
  private var scanCount = 0
  private var restartInterval = 0
  /// The identifiers of the components of the frame.
  private var identifiers: [UInt8] = []
  /// For each component, the number of lowest bits that are missing so far; `nil` before the first scan.
  private var missingBits: [Int?] = []

  /// Reads the markers of a file up to its end. Returns `nil` for a file that is unusual or not complete.
  init?(_ bytes: [UInt8]) {
    self.bytes = bytes
    while let segment = nextSegment() {
      switch segment.marker {
      case 0xD9: return
      case 0xC2: guard readFrame(segment.payload) else { return nil }
      case JPEGSegments.startOfScan: guard readScan(segment.payload) else { return nil }
      case 0xDD:
        guard segment.payload.count == 2 else { return nil }
        restartInterval =
          Int(bytes[segment.payload.startIndex]) << 8 | Int(bytes[segment.payload.startIndex + 1])
      case 0xC4, 0xDB, 0xE0...0xEF, 0xFE: break  // tables, applications' data and comments
      default: return nil
      }
    }
    return nil
  }

  /// Returns the next segment, which follows the last one without a gap; the end of the image has no payload.
  private mutating func nextSegment() -> (marker: UInt8, payload: ArraySlice<UInt8>)? {
    guard offset < bytes.count, bytes[offset] == 0xFF else { return nil }
    // Any number of fill bytes.
    while offset < bytes.count, bytes[offset] == 0xFF { offset += 1 }
    guard offset < bytes.count else { return nil }
    let marker = bytes[offset]
    offset += 1
    switch marker {
    case 0x00, 0x01, 0xD0...0xD8: return nil
    case 0xD9: return (marker, [])
    default: break
    }
    guard offset + 2 <= bytes.count else { return nil }
    let length = Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
    guard length >= 2, length <= bytes.count - offset else { return nil }
    defer { offset += length }
    return (marker, bytes[(offset + 2)..<(offset + length)])
  }

  private mutating func readFrame(_ payload: ArraySlice<UInt8>) -> Bool {
    let fields = Array(payload)
    guard identifiers.isEmpty, fields.count >= 6 else { return false }
    let count = Int(fields[5])
    guard count > 0, fields.count == 6 + 3 * count else { return false }
    identifiers = (0..<count).map { fields[6 + 3 * $0] }
    missingBits = Array(repeating: nil, count: count)
    return Set(identifiers).count == count
  }

  /// Reads the header of a scan, and moves to the end of its codes.
  private mutating func readScan(_ payload: ArraySlice<UInt8>) -> Bool {
    scanCount += 1
    let fields = Array(payload)
    guard scanCount <= Self.largestScanCount, let count = fields.first.map({ Int($0) }),
      (1...4).contains(count), fields.count == 4 + 2 * count, let end = endOfCodes()
    else { return false }
    let codes = offset..<end
    offset = end
    let scanned = (0..<count).map { fields[1 + 2 * $0] }
    let (first, last, bits) = (fields[1 + 2 * count], fields[2 + 2 * count], fields[3 + 2 * count])
    let (before, after) = (Int(bits >> 4), Int(bits & 15))
    guard first == 0 else {
      return count == 1 && identifiers.contains(scanned[0]) && last >= first && last < 64 && scanCount > 1
    }
    let component = identifiers.firstIndex(of: scanned[0])
    let components =
      scanned == identifiers ? identifiers.indices : count == 1 ? component.map { $0..<$0 + 1 } : nil
    guard last == 0, let components else { return false }
    // The first scan has all components, and each of the others the bit that follows.
    let expected: Int? = scanCount == 1 ? nil : before
    guard components.allSatisfy({ missingBits[$0] == expected }) else { return false }
    for index in components { missingBits[index] = after }
    if scanCount == 1 { return before == 0 && components.count == identifiers.count }
    scans.append(
      Scan(
        codes: codes, component: components.count == identifiers.count ? nil : component,
        restartInterval: restartInterval, missingBits: after))
    return before == after + 1
  }

  /// Returns the offset of the marker after the codes that begin at `offset`; `nil` if the file ends first. Zeros and
  /// restart markers belong to the codes.
  private func endOfCodes() -> Int? {
    bytes.withUnsafeBytes { bytes in
      var offset = offset
      while offset < bytes.count, let base = bytes.baseAddress,
        let found = memchr(base + offset, 0xFF, bytes.count - offset)
      {
        offset = UnsafeRawPointer(found) - base
        guard offset + 1 < bytes.count else { return nil }
        switch bytes[offset + 1] {
        case 0x00, 0xD0...0xD7: offset += 2
        case 0xFF: offset += 1
        default: return offset
        }
      }
      return nil
    }
  }
}
