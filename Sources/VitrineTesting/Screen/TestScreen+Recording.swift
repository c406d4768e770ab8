import Glibc
import VitrineCodecs
import VitrineGraphics
import VitrineSDLBackend

/// Why a screen is not what was recorded.
public struct ScreenDifference: Error, Sendable, CustomStringConvertible {
  /// Where the recorded image is, or should be.
  public let path: String
  /// What differs; nil where nothing was recorded.
  public let comparison: PictureComparison?

  /// What differs and where, and what to do if the screen is right.
  public var description: String {
    let problem = comparison.map { "\($0); \(path.replacingExtension(by: "difference.png")) shows both" }
    return
      "\(problem ?? "nothing was recorded at \(path)"); if \(path.replacingExtension(by: "actual.png")) is right, "
      + "run the test with VITRINE_RECORD=1"
  }
}

extension TestScreen {
  /// Compares what is on the screen with the image `Recorded/NAME.png` beside the test's own file, and throws a
  /// `ScreenDifference` where they differ. With the environment's `VITRINE_RECORD=1` it writes that image instead.
  ///
  /// After a difference `NAME.actual.png` and `NAME.difference.png` lie beside it.
  ///
  /// - Parameters:
  ///   - name: of the image, without extension.
  ///   - tolerance: what is let pass; `.text` where letters are seen.
  ///   - folder: where the image is; nil for `Recorded` beside the file of the call.
  public func expect(
    _ name: String, tolerance: PictureTolerance = .drawing, in folder: String? = nil, file: String = #filePath
  ) throws {
    let folder = folder ?? file.prefix(through: file.lastIndex(of: "/") ?? file.startIndex) + "Recorded"
    let path = "\(folder)/\(name).png"
    let actual = screenshot()
    let (drawn, difference) = (
      path.replacingExtension(by: "actual.png"), path.replacingExtension(by: "difference.png")
    )
    for old in [drawn, difference] { unlink(old) }
    if let mode = getenv("VITRINE_RECORD"), String(cString: mode) == "1" {
      mkdir(folder, 0o755)
      return try SDLHost.writePNG(actual, to: path)
    }
    guard access(path, F_OK) == 0 else {
      mkdir(folder, 0o755)
      try SDLHost.writePNG(actual, to: drawn)
      throw ScreenDifference(path: path, comparison: nil)
    }
    let expected = try AssetImage.load(contentsOf: path).bitmap
    let comparison = PictureComparison(of: actual, with: expected, tolerance: tolerance)
    guard !comparison.isMatch else { return }
    try SDLHost.writePNG(actual, to: drawn)
    try SDLHost.writePNG(comparison.sideBySide, to: difference)
    throw ScreenDifference(path: path, comparison: comparison)
  }
}

extension String {
  /// The path `NAME.png` with another end.
  fileprivate func replacingExtension(by end: String) -> String {
    hasSuffix(".png") ? dropLast(3) + end : self + "." + end
  }
}
