import Glibc
import VitrineCodecs
import VitrineGraphics
import VitrineSDLBackend

/// The error of a screen that differs from the recorded image.
public struct ScreenDifference: Error, Sendable, CustomStringConvertible {
  /// The path of the recorded image, which may not exist.
  public let path: String
  /// The comparison; `nil` if no image was recorded.
  public let comparison: ImageComparison?

  /// The difference, and the instruction for recording the screen if the difference is intended.
  public var description: String {
    let problem = comparison.map { "\($0); \(path.replacingExtension(by: "difference.png")) shows both" }
    return
      "\(problem ?? "nothing was recorded at \(path)"); if \(path.replacingExtension(by: "actual.png")) is right, "
      + "run the test with VITRINE_RECORD=1"
  }
}

extension TestScreen {
  /// Compares the screen with the image `Recorded/NAME.png` beside the test's file, and throws a `ScreenDifference` if
  /// they differ. If the environment variable `VITRINE_RECORD` is 1, writes this image instead.
  ///
  /// After a difference, `NAME.actual.png` and `NAME.difference.png` are written beside the recorded image.
  ///
  /// `name` is the name of the image without extension. `tolerance` is the accepted difference; use `.text` if letters
  /// are visible. `folder` is the folder of the image; `nil` means `Recorded` beside the calling file.
  public func expect(
    _ name: String, tolerance: ImageTolerance = .drawing, in folder: String? = nil, file: String = #filePath
  ) throws {
    let folder = folder ?? file.prefix(through: file.lastIndex(of: "/") ?? file.startIndex) + "Recorded"
    let path = "\(folder)/\(name).png"
    let actual = screenshot()
    let (actualPath, differencePath) = (
      path.replacingExtension(by: "actual.png"), path.replacingExtension(by: "difference.png")
    )
    for old in [actualPath, differencePath] { unlink(old) }
    if let mode = getenv("VITRINE_RECORD"), String(cString: mode) == "1" {
      mkdir(folder, 0o755)
      return try actual.write(to: path)
    }
    guard access(path, F_OK) == 0 else {
      mkdir(folder, 0o755)
      try actual.write(to: actualPath)
      throw ScreenDifference(path: path, comparison: nil)
    }
    let expected = try AssetImage.load(contentsOf: path).bitmap
    let comparison = ImageComparison(of: actual, with: expected, tolerance: tolerance)
    guard !comparison.isMatch else { return }
    try actual.write(to: actualPath)
    try comparison.sideBySide.write(to: differencePath)
    throw ScreenDifference(path: path, comparison: comparison)
  }
}

extension String {
  /// Returns the path with `.png` replaced by another ending.
  fileprivate func replacingExtension(by end: String) -> String {
    hasSuffix(".png") ? dropLast(3) + end : self + "." + end
  }
}
