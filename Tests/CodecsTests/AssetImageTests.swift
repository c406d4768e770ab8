import Glibc
import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading

@Suite struct AssetImageTests {
  /// Calls `body` with the path of a temporary file, and then deletes the file.
  private func withFile(_ bytes: [UInt8], suffix: String, _ body: (String) throws -> Void) throws {
    var name = Array("/tmp/vitrine-asset-XXXXXX\(suffix)".utf8CString)
    let file = mkstemps(&name, Int32(suffix.utf8.count))
    try #require(file >= 0)
    let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(path) }
    #expect(write(file, bytes, bytes.count) == bytes.count)
    close(file)
    try body(path)
  }

  /// A BMP file of 24 bits per pixel: red and green above blue and white.
  private var bmp: [UInt8] {
    func number(_ value: Int, _ count: Int = 4) -> [UInt8] {
      (0..<count).map { UInt8(value >> ($0 * 8) & 255) }
    }
    let bottom: [UInt8] = [255, 0, 0, 255, 255, 255, 0, 0]
    let top: [UInt8] = [0, 0, 255, 0, 255, 0, 0, 0]
    return Array("BM".utf8) + number(70) + number(0) + number(54) + number(40) + number(2) + number(2)
      + number(1, 2) + number(24, 2) + [UInt8](repeating: 0, count: 24) + bottom + top
  }

  @Test(arguments: [PixelFormat.bgra, .rgba])
  func bitmapFileIsReadBySDL(pixelFormat: PixelFormat) throws {
    try withFile(bmp, suffix: ".bmp") { path in
      let image = try AssetImage.load(contentsOf: path, pixelFormat: pixelFormat)

      #expect(image.bitmap.format == pixelFormat)
      #expect(image.bitmap.isOpaque)
      #expect(image.bitmap.colors == [[.pureRed, .pureGreen], [.pureBlue, .white]])
    }
  }

  @Test func knownFormatIsDecodedByTheCodecsWhateverTheExtension() throws {
    let png = PNGFixture(width: 1, height: 1) { _, _ in [1, 2, 3, 4] }.bytes
    try withFile(png, suffix: ".bmp") { path in
      let image = try AssetImage.load(contentsOf: path)

      #expect(image.format == .png)
      #expect(image.bitmap.color(x: 0, y: 0) == Color(red: 1, green: 2, blue: 3, alpha: 4))
    }
  }

  @Test func damagedFileOfAKnownFormatIsNotPassedToSDL() throws {
    let png = PNGFixture(width: 1, height: 1) { _, _ in [1, 2, 3, 4] }.bytes
    try withFile(Array(png.dropLast(10)), suffix: ".png") { path in
      let error = #expect(throws: AssetImageError.self) { try AssetImage.load(contentsOf: path) }

      #expect(error?.path == path)
      #expect(error?.reason == .decoding(.png, message: "ends before IEND"))
      #expect(error?.description == "\(path): damaged png: ends before IEND")
    }
  }

  @Test func unknownFormatAndEmptyFileAreRefused() throws {
    try withFile(Array("plain text".utf8), suffix: ".txt") { path in
      let error = #expect(throws: AssetImageError.self) { try AssetImage.load(contentsOf: path) }

      #expect(error?.reason == .notAnImage(signature: Array("plain text".utf8)))
      #expect(error?.description == "\(path): the file is not an image of a known format")
    }
    try withFile([], suffix: ".png") { path in
      let error = #expect(throws: AssetImageError.self) { try AssetImage.load(contentsOf: path) }

      #expect(error?.reason == .emptyBody)
      #expect(error?.description == "\(path): the file is empty")
    }
  }

  @Test func errorNamesTheMissingFile() {
    let error = #expect(throws: AssetImageError.self) { try AssetImage.load(contentsOf: "/no/such/file.png") }

    #expect(error?.description == "cannot read /no/such/file.png: No such file or directory")
  }
}
