import Foundation
import Testing

/// Uses of slots that the compiler rejects outside the main actor.
@Suite(.timeLimit(.minutes(5)))
struct IsolationTests {
  /// The folder of the compiled modules, beside the test program.
  static let modules = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appending(path: "Modules")

  /// Statements that use slots, one per line.
  private static let lines = [
    #"view.setImage(from: "http://a.test/1")"#,
    #"view.imageURL = "http://a.test/1""#,
    "view.imageURL = nil",
    "_ = view.isLoadingImage",
    "view.cancelImageLoad()",
    "view.cancelLatestLoadOperation()",
    #"view.cancelLoadOperation(forKey: "a")"#,
    #"image.setImage(from: "http://a.test/1")"#,
    #"image.setHighlightedImage(from: "http://a.test/1")"#,
    "image.highlightedImageURL = nil",
    "image.cancelHighlightedImageLoad()",
    #"button.setImage(from: "http://a.test/1", for: .normal)"#,
    #"button.setBackgroundImage(from: "http://a.test/1", for: .normal)"#,
    #"_ = button.imageURL(for: .normal)"#,
    "button.cancelImageLoad(for: .normal)",
    "button.cancelBackgroundImageLoad(for: .normal)",
    "_ = View.sharedImageDownloader",
    "View.setSharedImageDownloader(nil)",
    "avatar.load()",
  ]

  /// Returns the compiler's output for the lines in a function of a module without a default isolation.
  private static func complaints(isolation: String) throws -> String {
    let head = "\(isolation) func use(view: View, image: ImageView, button: Button, avatar: Avatar) {"
    let avatar = "class Avatar: View { func load() {} }"
    let imports = "import VitrineImageWidgets; import VitrineWidgets"
    return try complaints(about: ([head] + lines + ["}", avatar, imports]).joined(separator: "\n") + "\n")
  }

  /// Returns the compiler's output for a source file outside the package, which sees public declarations only.
  static func complaints(about source: String) throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: "isolation-\(UUID()).swift")
    defer { try? FileManager.default.removeItem(at: file) }
    try source.write(to: file, atomically: true, encoding: .utf8)
    let compiler = Process()
    let output = Pipe()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments = [
      "swiftc", "-typecheck", "-swift-version", "6", "-I", modules.path, file.path,
    ]
    compiler.standardError = output
    try compiler.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    compiler.waitUntilExit()
    return text
  }

  @Test(.enabled("the tests were built elsewhere") { FileManager.default.fileExists(atPath: modules.path) })
  func slotsCannotBeUsedOutsideTheMainActor() throws {
    #expect(try !Self.complaints(isolation: "@MainActor").contains("error:"))

    let complaints = try Self.complaints(isolation: "nonisolated")
    for (index, line) in Self.lines.enumerated() {
      #expect(complaints.contains(".swift:\(index + 2):"), "\(line) compiles outside the main actor")
    }
    #expect(complaints.contains("main actor-isolated"))
  }
}
