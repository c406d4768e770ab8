import Testing
import VitrineGraphics
import VitrineLoading

@testable import VitrineCodecs

@Suite struct OrientationTests {
  /// The colors of the shown corners per orientation. The stored corners are red, green, blue and white.
  private static let corners: [UInt16: [[Color]]] = [
    1: [[.pureRed, .pureGreen], [.pureBlue, .white]], 2: [[.pureGreen, .pureRed], [.white, .pureBlue]],
    3: [[.white, .pureBlue], [.pureGreen, .pureRed]], 4: [[.pureBlue, .white], [.pureRed, .pureGreen]],
    5: [[.pureRed, .pureBlue], [.pureGreen, .white]], 6: [[.pureBlue, .pureRed], [.white, .pureGreen]],
    7: [[.white, .pureGreen], [.pureBlue, .pureRed]], 8: [[.pureGreen, .white], [.pureRed, .pureBlue]],
  ]

  @Test(
    "SD-M12 all eight orientations are applied, in full size and scaled",
    arguments: 1...8 as ClosedRange<UInt16>)
  func orientationsOfAJPEGAreApplied(orientation: UInt16) throws {
    var fixture = JPEGFixture(width: 64, height: 32) { x, y in
      y < 16 ? (x < 32 ? .pureRed : .pureGreen) : (x < 32 ? .pureBlue : .white)
    }
    fixture.exif = exif(orientation: orientation, isBigEndian: orientation % 2 == 0)
    let expected = try #require(Self.corners[orientation])
    let isTurned = orientation >= 5

    // The last limit gives a fourth of the pixels.
    let sizes: [(target: DecodeTarget?, limits: DecodeLimits)] = [
      (nil, .init()), (DecodeTarget(width: 8, height: 8), .init()),
      (DecodeTarget(width: 30, height: 30), .init()), (nil, .init(scaleDownBytes: 64 * 32)),
    ]
    for (target, limits) in sizes {
      let image = try decode(fixture.bytes, to: target, limits: limits)

      #expect((image.sourceWidth, image.sourceHeight) == (isTurned ? (32, 64) : (64, 32)))
      let size = target?.outputSize(sourceWidth: image.sourceWidth, sourceHeight: image.sourceHeight)
      let divisor = limits.scaleDownBytes == nil ? 1 : 2
      #expect(image.pixelWidth == size?.width ?? image.sourceWidth / divisor)
      #expect(image.pixelHeight == size?.height ?? image.sourceHeight / divisor)
      for (row, colors) in expected.enumerated() {
        for (column, color) in colors.enumerated() {
          let (x, y) = (column * (image.pixelWidth - 1), row * (image.pixelHeight - 1))
          #expect(image.bitmap.color(x: x, y: y).distance(to: color) < 6)
        }
      }
    }
  }

  @Test func orientationMovesEachPixelOfALosslessImage() throws {
    for orientation in 1...8 as ClosedRange<UInt16> {
      var fixture = PNGFixture(width: 3, height: 2) { x, y in [x * 50, y * 50, 0, 255] }
      fixture.chunks = [("eXIf", exif(orientation: orientation))]

      let bitmap = try decode(fixture.bytes).bitmap

      for y in 0..<2 {
        for x in 0..<3 {
          let (right, down) = (2 - x, 1 - y)
          let position =
            [(x, y), (right, y), (right, down), (x, down), (y, x), (down, x), (down, right), (y, right)][
              Int(orientation) - 1]
          let expected = Color(red: UInt8(x * 50), green: UInt8(y * 50), blue: 0)
          #expect(bitmap.color(x: position.0, y: position.1) == expected, "orientation \(orientation)")
        }
      }
    }
  }

  @Test(arguments: [false, true])
  func tagIsReadInBothByteOrders(isBigEndian: Bool) {
    for value in 1...8 as ClosedRange<UInt16> {
      let tiff = exif(orientation: value, isBigEndian: isBigEndian)

      #expect(Orientation(tiff: tiff[...])?.rawValue == value)
      #expect(Orientation(exif: (Array("Exif\0\0".utf8) + tiff)[...])?.rawValue == value)
    }
  }

  @Test func invalidOrientationIsIgnored() {
    for value in [0, 9, 256, 65_535] as [UInt16] {
      #expect(Orientation(tiff: exif(orientation: value)[...]) == nil)
    }
  }

  @Test func valueAtTheEndOfTheBytesIsRead() {
    let tiff = exif(orientation: 6)

    // The last bytes are the value's padding and the offset of the next directory.
    #expect(Orientation(tiff: tiff.dropLast(6)) == .right)
    #expect(Orientation(tiff: tiff.dropLast(7)) == nil)
  }

  @Test(arguments: [0, 1, 4, 9] as [UInt8]) func valueOfAnotherTypeIsIgnored(type: UInt8) throws {
    var tiff = exif(orientation: 6)
    let tag = try #require(tiff.indices.dropLast().last { tiff[$0] == 0x12 && tiff[$0 + 1] == 0x01 })
    tiff[tag + 2] = type

    #expect(Orientation(tiff: tiff[...]) == nil)
  }

  @Test func truncatedExifIsIgnored() {
    let tiff = exif(orientation: 6)
    for count in 0..<(tiff.count - 6) {
      #expect(Orientation(tiff: tiff.prefix(count)) == nil, "\(count) bytes")
    }
  }

  @Test func offsetsOutOfBoundsAreIgnored() {
    for offset in [[0xFF, 0xFF, 0xFF, 0xFF], [0xFF, 0xFF, 0xFF, 0x7F], [26, 1, 0, 0]] as [[UInt8]] {
      var tiff = exif(orientation: 6)
      tiff.replaceSubrange(4..<8, with: offset)

      #expect(Orientation(tiff: tiff[...]) == nil)
    }
  }

  @Test func damagedExifDoesNotPreventDecoding() throws {
    var fixture = JPEGFixture(width: 4, height: 2) { _, _ in .white }
    fixture.exif = Array("II*\0junk".utf8)

    #expect(try decode(fixture.bytes).pixelWidth == 4)
  }
}
