import Testing
import VitrineGraphics

@testable import VitrineCodecs

/// The scans of progressive JPEGs that have DC coefficients.
@Suite(.timeLimit(.minutes(5))) struct JPEGBitScansTests {
  private static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let length = payload.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + payload
  }

  private static func frame(_ identifiers: [UInt8] = [1, 2, 3]) -> [UInt8] {
    segment(
      0xC2,
      [8, 0, 16, 0, 16, UInt8(identifiers.count)] + identifiers.flatMap { [$0, 0x11, 0] })
  }

  private static func scan(
    _ components: [UInt8], _ first: UInt8, _ last: UInt8, _ bits: UInt8,
    codes: [UInt8] = [0xAB, 0xFF, 0, 0xCD]
  ) -> [UInt8] {
    segment(0xDA, [UInt8(components.count)] + components.flatMap { [$0, 0] } + [first, last, bits]) + codes
  }

  private static func file(_ parts: [UInt8]...) -> [UInt8] { [0xFF, 0xD8] + parts.joined() + [0xFF, 0xD9] }

  private static let first = frame() + scan([1, 2, 3], 0, 0, 0x01)
  private static let ac = scan([2], 1, 63, 0x02)

  private func scans(_ bytes: [UInt8]) -> [JPEGBitScans.Scan]? { JPEGBitScans(bytes)?.scans }

  @Test func scansOfOneMoreBitAreFound() throws {
    let bytes = Self.file(
      Self.first, Self.segment(0xC4, [1, 2]), Self.ac, Self.segment(0xDD, [1, 4]),
      Self.scan([1, 2, 3], 0, 0, 0x10, codes: [7, 0xFF, 0xD0, 8, 0xFF, 0]), Self.ac)

    let scans = try #require(self.scans(bytes))

    #expect(scans.count == 1)
    #expect(scans[0].component == nil && scans[0].restartInterval == 260 && scans[0].missingBits == 0)
    #expect(Array(bytes[scans[0].codes]) == [7, 0xFF, 0xD0, 8, 0xFF, 0])
  }

  @Test func componentsMayHaveScansOfTheirOwn() throws {
    let bytes = Self.file(
      Self.frame(), Self.scan([1, 2, 3], 0, 0, 0x02), Self.scan([3], 0, 0, 0x21), Self.scan([3], 0, 0, 0x10),
      Self.scan([1], 0, 0, 0x21))

    let scans = try #require(self.scans(bytes))

    #expect(scans.map(\.component) == [2, 2, 0] && scans.map(\.missingBits) == [1, 0, 1])
    #expect(self.scans(Self.file(Self.frame([9]), Self.scan([9], 0, 0, 0x00)))?.isEmpty == true)
  }

  @Test func fillBytesAndSegmentsOfApplicationsAreSkipped() {
    let bytes = Self.file(
      Self.segment(0xE1, [1, 2, 0xFF, 0xDA]), Self.segment(0xFE, []), [0xFF, 0xFF], Self.first, [0xFF],
      Self.ac)

    #expect(scans(bytes)?.isEmpty == true)
  }

  @Test("files without an end are not complete") func truncatedFileIsRefused() {
    let bytes = Self.file(Self.first, Self.ac, Self.scan([1, 2, 3], 0, 0, 0x10), Self.ac)

    #expect(scans(bytes) != nil)
    for count in bytes.indices { #expect(scans(Array(bytes.prefix(count))) == nil, "\(count) bytes") }
  }

  private static let unusual: [(String, [UInt8])] = [
    ("no bytes", []),
    ("no frame", file(scan([1, 2, 3], 0, 0, 1))),
    ("two frames", file(frame(), first)),
    ("equal identifiers", file(frame([1, 1, 2]), scan([1, 1, 2], 0, 0, 1))),
    ("a first scan of one component", file(frame(), scan([1], 0, 0, 1))),
    ("a first scan in another order", file(frame(), scan([2, 1, 3], 0, 0, 1))),
    ("a first scan of AC coefficients", file(frame(), ac)),
    ("a first scan that is a refinement", file(frame(), scan([1, 2, 3], 0, 0, 0x21))),
    ("DC and AC coefficients in a scan", file(frame(), scan([1, 2, 3], 0, 5, 1))),
    ("first bits twice", file(first, scan([1, 2, 3], 0, 0, 0x01))),
    ("a bit twice", file(first, scan([1, 2, 3], 0, 0, 0x10), scan([1, 2, 3], 0, 0, 0x10))),
    ("two bits at once", file(frame(), scan([1, 2, 3], 0, 0, 2), scan([1, 2, 3], 0, 0, 0x20))),
    ("a bit of some components", file(first, scan([1, 2], 0, 0, 0x10))),
    ("a bit of an unknown component", file(first, scan([7], 0, 0, 0x10))),
    ("AC coefficients of two components", file(first, scan([1, 2], 1, 5, 0))),
    ("AC coefficients out of range", file(first, scan([1], 1, 64, 0))),
    ("AC coefficients in the wrong order", file(first, scan([1], 5, 4, 0))),
    ("another kind of frame", file(first, segment(0xC0, [8, 0, 1, 0, 1, 0]))),
    ("a height that comes later", file(first, segment(0xDC, [0, 5]))),
    ("bytes between segments", file(first, segment(0xC4, []), [3], ac)),
    ("a length below two", file(first, [0xFF, 0xC4, 0, 1])),
    ("a restart interval of one byte", file(first, segment(0xDD, [1]))),
    ("no components in a scan", file(first, segment(0xDA, [0, 0, 0, 0]))),
    ("a short header of a scan", file(first, segment(0xDA, [1, 1]))),
  ]

  @Test(arguments: unusual.map(\.0)) func unusualFileIsRefused(name: String) throws {
    let bytes = try #require(Self.unusual.first { $0.0 == name }).1

    #expect(scans(bytes) == nil)
  }

  @Test func numberOfScansIsLimited() {
    func file(_ count: Int) -> [UInt8] {
      Self.file(Self.first, Array((0..<count).map { _ in Self.ac }.joined()))
    }

    #expect(scans(file(99)) != nil)
    #expect(scans(file(100)) == nil)
  }
}
