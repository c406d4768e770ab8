import CCodecs
import Glibc
import VitrineGraphics
import VitrineLoading

/// The scans of a progressive JPEG that determine its pixels at an eighth of the size.
///
/// At that scale, libjpeg uses the DC coefficients alone of every component that is not subsampled in both directions.
/// Without the other scans of those components, which are most of the file, libjpeg decodes the same pixels.
enum JPEGCoarseScans {
  /// The maximum number of scans that are looked at, as in `JPEGReader`.
  private static let largestScanCount = 100

  /// Returns true if only some of the scans of an image are needed.
  static func suits(_ plan: DecodePlan, _ header: JPEGHeader) -> Bool {
    header.isProgressive && !header.isArithmetic
      && JPEGDecoder.eighths(from: plan.stored, to: plan.scaled) == 1
  }

  /// Returns a file without the scans that are not needed; `nil` if all are needed, and if the file is unusual or not
  /// complete, so that libjpeg has to see all of it.
  static func file(
    _ data: [UInt8], _ header: JPEGHeader, orientation: Orientation, options: DecodeOptions
  ) -> [UInt8]? {
    let plan = try? DecodePlan(
      format: .jpeg, stored: header.size, orientation: orientation, options: options)
    guard let plan, suits(plan, header) else { return nil }
    return file(data, header)
  }

  private static func file(_ data: [UInt8], _ header: JPEGHeader) -> [UInt8]? {
    var result = Array(data.prefix(2))
    var offset = result.count
    var coarse: Set<UInt8> = []
    var scanCount = 0
    while offset + 1 < data.count, data[offset] == 0xFF {
      let marker = data[offset + 1]
      switch marker {
      case 0xFF:
        // A fill byte.
        offset += 1
        continue
      case 0xD9: return result + [0xFF, 0xD9]
      case 0x00, 0x01, 0xD0...0xD8: return nil
      default: break
      }
      guard offset + 4 <= data.count else { return nil }
      let length = data[(offset + 2)..<(offset + 4)].bigEndianUInt16(at: 0)
      guard length >= 2, Int(length) <= data.count - offset - 2 else { return nil }
      var end = offset + 2 + Int(length)
      let payload = data[(offset + 4)..<end]
      var isNeeded = true
      switch marker {
      case 0xC2:
        guard coarse.isEmpty, let components = coarseComponents(payload, header) else { return nil }
        coarse = components
      case JPEGSegments.startOfScan:
        scanCount += 1
        guard scanCount <= largestScanCount, let scan = Scan(payload), let next = endOfScan(data, from: end)
        else { return nil }
        isNeeded = scan.hasMeans || !coarse.contains(scan.component)
        end = next
      // Exif, color profiles and comments. libjpeg looks at the application segments 0 and 14.
      case 0xE1...0xED, 0xEF, 0xFE: isNeeded = false
      default: break
      }
      if isNeeded { result += data[offset..<end] }
      offset = end
    }
    return nil
  }

  /// Returns the identifiers of the components that libjpeg decodes from DC coefficients alone. `nil` if two are equal.
  private static func coarseComponents(_ frame: ArraySlice<UInt8>, _ header: JPEGHeader) -> Set<UInt8>? {
    let fields = Array(frame)
    let components = header.components
    guard fields.count >= 6 + 3 * components.count else { return nil }
    let identifiers = components.indices.map { fields[6 + 3 * $0] }
    guard Set(identifiers).count == identifiers.count else { return nil }
    let horizontal = components.map(\.horizontal).max()
    let vertical = components.map(\.vertical).max()
    return Set(
      zip(identifiers, components).filter { $1.horizontal == horizontal || $1.vertical == vertical }
        .map { $0.0 })
  }

  /// The header of a scan of a progressive image (ITU-T T.81, annex G.1.1.1).
  private struct Scan {
    /// True if the scan has DC coefficients, and only those.
    let hasMeans: Bool
    /// The identifier of the first component; the only one, unless the scan has DC coefficients.
    let component: UInt8

    /// Returns `nil` for a scan that progressive images must not have.
    init?(_ payload: ArraySlice<UInt8>) {
      let fields = Array(payload)
      guard let count = fields.first.map({ Int($0) }), (1...4).contains(count), fields.count == 4 + 2 * count
      else { return nil }
      let (first, last) = (fields[1 + 2 * count], fields[2 + 2 * count])
      guard first == 0 ? last == 0 : count == 1 else { return nil }
      hasMeans = first == 0
      component = fields[1]
    }
  }

  /// Returns the offset of the marker after the codes of a scan; `nil` if the file ends first. Zeros and restart markers
  /// belong to the codes.
  private static func endOfScan(_ data: [UInt8], from start: Int) -> Int? {
    data.withUnsafeBytes { bytes in
      var offset = start
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

extension JPEGReader {
  /// Turns off the estimate of coefficients that are missing from the file, none of which affects the pixels.
  func leavesOutSmoothing() { handle.pointee.info.do_block_smoothing = 0 }
}
