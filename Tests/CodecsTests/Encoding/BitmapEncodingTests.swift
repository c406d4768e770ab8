import Foundation
import Glibc
import Testing
import VitrineGraphics
import VitrineLoading

@testable import VitrineCodecs

/// Bitmaps as files and as bytes.
@Suite(.timeLimit(.minutes(5)))
struct BitmapEncodingTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "vitrine-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func bitmap(_ format: PixelFormat = .bgra, isOpaque: Bool = true) -> Bitmap {
    Bitmap(width: 13, height: 7, format: format) { x, y in
      Color(red: UInt8(x * 19), green: UInt8(y * 36), blue: 200, alpha: isOpaque ? 255 : UInt8(20 * x))
    }
  }

  @Test(arguments: [PixelFormat.bgra, .rgba], [true, false])
  func writtenPNGHasTheSamePixels(format: PixelFormat, isOpaque: Bool) throws {
    let path = folder.appending(path: "image.png").path
    defer { try? FileManager.default.removeItem(at: folder) }
    let bitmap = bitmap(format, isOpaque: isOpaque)

    try Bitmap(width: 64, height: 64, color: .white).write(to: path)
    try bitmap.write(to: path)

    let loaded = try AssetImage.load(contentsOf: path)
    #expect(loaded.format == .png)
    #expect(loaded.bitmap.isOpaque == isOpaque)
    #expect((loaded.pixelWidth, loaded.pixelHeight) == (13, 7))
    for (x, y) in (0..<13).flatMap({ x in (0..<7).map { (x, $0) } }) {
      #expect(loaded.bitmap.color(x: x, y: y) == bitmap.color(x: x, y: y))
    }
  }

  @Test(arguments: [
    ("a.jpg", ImageFormat.jpeg), ("a.JPEG", .jpeg), ("a.webp", .webp), ("a.png", .png), ("a", .png),
  ])
  func fileExtensionSelectsTheFormat(name: String, format: ImageFormat) throws {
    let path = folder.appending(path: name).path
    defer { try? FileManager.default.removeItem(at: folder) }

    try bitmap().write(to: path)

    #expect(try AssetImage.load(contentsOf: path).format == format)
  }

  @Test func writingToAMissingFolderFailsWithThePath() {
    let error = #expect(throws: ImageError.self) { try bitmap().write(to: "/nowhere/image.png") }

    #expect(error?.description == "cannot write png: /nowhere/image.png: No such file or directory")
  }

  @Test func fullDeviceIsReported() {
    let error = #expect(throws: ImageError.self) { try bitmap().write(to: "/dev/full") }

    #expect(error?.description == "cannot write png: /dev/full: No space left on device")
  }

  @Test func failedWriteKeepsTheOldFileAndLeavesNoOther() throws {
    let path = folder.appending(path: "image.png").path
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileReplacement().write([1, 2, 3], to: path)
    var calls = 0
    let full = FileReplacement { file, bytes in
      calls += 1
      if calls == 1 { return Glibc.write(file, bytes.baseAddress, 1) }
      errno = ENOSPC
      return -1
    }

    #expect(throws: FileReplacement.Failure(code: ENOSPC)) { try full.write([4, 5, 6], to: path) }

    #expect(calls == 2)
    #expect(try Data(contentsOf: URL(filePath: path)) == Data([1, 2, 3]))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["image.png"])
  }

  @Test func folderInPlaceOfTheFileFailsAndLeavesNoOther() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "image.png").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)

    #expect(throws: ImageError.self) { try bitmap().write(to: path) }

    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["image.png"])
  }

  @Test func replacedFileKeepsItsLinkAndItsPermissions() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (path, link) = (folder.appending(path: "image.png").path, folder.appending(path: "link.png").path)
    try FileReplacement().write([1], to: path)
    #expect(chmod(path, 0o640) == 0)
    #expect(symlink("image.png", link) == 0)

    try bitmap().write(to: link)

    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o640)
    #expect(try AssetImage.load(contentsOf: path).pixelWidth == 13)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "image.png")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
  }

  @Test func encodedDataHaveTheRequestedFormatAndQuality() throws {
    let bitmap = Bitmap(width: 64, height: 64) { x, y in
      Color(red: UInt8(x * 4), green: UInt8(y * 4), blue: UInt8((x * y) % 256))
    }

    #expect(try ImageCodecs().decode(bitmap.pngData(), options: .init()).format == .png)
    let (fine, coarse) = (try bitmap.jpegData(quality: 1), try bitmap.jpegData(quality: 0.1))
    #expect(try ImageCodecs().decode(coarse, options: .init()).format == .jpeg)
    #expect(fine.count > 2 * coarse.count)
    #expect(try bitmap.jpegData() == bitmap.jpegData(quality: 0.95))
    #expect(try bitmap.jpegData(quality: 7) == fine)
    #expect(try bitmap.jpegData(quality: .nan) == bitmap.jpegData())
  }
}
