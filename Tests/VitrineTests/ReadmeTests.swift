import Foundation
import Testing

/// The README's program is compiled with these tests, so that the README stays correct.
struct ReadmeTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")

  @Test func programInTheReadmeIsCompiled() throws {
    let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    let source = try String(
      contentsOf: Self.root.appending(path: "Tests/VitrineTests/ReadmeProgram.swift"), encoding: .utf8)

    let program = try #require(readme.components(separatedBy: "```swift\n").dropFirst().first)
      .components(separatedBy: "```")[0]

    // The test bundle has an entry point already.
    #expect(program.replacingOccurrences(of: "@main\n", with: "") == source)
  }

  @Test func everyOptionOfTheHelpTextIsDocumented() throws {
    let article = try String(
      contentsOf: Self.root.appending(path: "Sources/Vitrine/Vitrine.docc/TheDemo.md"), encoding: .utf8)
    let help = try String(
      contentsOf: Self.root.appending(path: "Sources/Demo/CommandLine/Help.swift"), encoding: .utf8)

    for option in help.matches(of: /"(--[a-z-]+)"/).map({ String($0.1) }) where option != "--help" {
      #expect(article.contains("`\(option)"), "\(option)")
    }
  }
}
