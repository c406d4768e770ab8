import Foundation
import Testing

/// Checks that the code of the documentation is compiled, and that the names in it exist.
struct ArticleTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
  private static let catalog = root.appending(path: "Sources/Vitrine/Vitrine.docc")

  private static func text(of url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

  private static func files(below folder: URL, ending: String) throws -> [URL] {
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    return files.compactMap { $0 as? URL }.filter { $0.pathExtension == ending }
  }

  /// Returns the text without the whitespace around each line.
  private static func lines(of text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
  }

  @Test func codeOfTheArticlesIsCompiled() throws {
    let folder = Self.root.appending(path: "Tests/VitrineTests/Articles")
    let compiled = try Self.files(below: folder, ending: "swift").map(Self.text).map(Self.lines)
    var count = 0

    for article in try Self.files(below: Self.catalog, ending: "md") {
      for block in try Self.text(of: article).components(separatedBy: "```swift\n").dropFirst() {
        let code = block.components(separatedBy: "```")[0]
        // Manifests cannot be compiled with the tests.
        guard !code.hasPrefix("// swift-tools-version"), !code.hasPrefix("// Package.swift") else { continue }
        count += 1
        let isCompiled = compiled.contains { $0.contains(Self.lines(of: code)) }
        #expect(isCompiled, "\(article.lastPathComponent): \(code)")
      }
    }

    #expect(count > 0)
  }

  @Test(arguments: ["nginx.conf", "squid.conf"]) func testedConfigurationsAreInTheArticle(name: String) throws
  {
    let file = Self.root.appending(path: "Scripts/fleet/\(name)")
    let article = try Self.text(of: Self.catalog.appending(path: "ManyDisplays.md"))
    #expect(article.contains(try "\n" + Self.text(of: file) + "```\n"))
  }

  @Test func everyPictureIsShownAndRecordedByTheScript() throws {
    let folder = Self.catalog.appending(path: "Resources")
    let pictures = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      // A failed comparison leaves pictures with two extensions.
      .filter { $0.lastPathComponent.split(separator: ".").count == 2 }
    let readme = Self.root.appending(path: "README.md")
    let texts = try (Self.files(below: Self.catalog, ending: "md") + [readme]).map(Self.text)
    let script = try Self.text(of: Self.root.appending(path: "Scripts/pictures.sh"))

    for picture in pictures {
      let name = picture.lastPathComponent
      let isShown = texts.contains { $0.contains("](\(name))") || $0.contains("/\(name))") }
      #expect(isShown, "\(name)")
      #expect(script.contains(picture.deletingPathExtension().lastPathComponent), "\(name)")
    }
    #expect(pictures.count >= 9)
  }

  @Test func chartOfRatiosShowsItsTable() throws {
    let awk = Process()
    let output = Pipe()
    awk.executableURL = URL(filePath: "/usr/bin/env")
    awk.arguments = [
      "awk", "-f", Self.root.appending(path: "Scripts/ratios.awk").path,
      Self.root.appending(path: "Sources/Benchmarks/ratios.tsv").path,
    ]
    awk.standardOutput = output
    try awk.run()
    let drawn = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    awk.waitUntilExit()

    // After a change of the table, `./run.sh pictures` draws the chart again.
    #expect(try drawn == Self.text(of: Self.catalog.appending(path: "Resources/ratios.svg")))
  }

  @Test func ratiosOfTheChartAreThoseOfTheResults() throws {
    let folder = Self.root.appending(path: "Sources/Benchmarks")
    let results = try Self.text(of: folder.appending(path: "RESULTS.md")).split(separator: "\n")
    let bars = try Self.text(of: folder.appending(path: "ratios.tsv")).split(separator: "\n").dropFirst()

    for bar in bars {
      let cells = bar.split(separator: "\t", omittingEmptySubsequences: false)
      try #require(cells.count == 5, "\(bar)")
      let isStated = results.contains { $0.hasPrefix("| `\(cells[0])`") && $0.contains("| \(cells[2]) |") }
      #expect(isStated, "\(bar)")
    }
    #expect(bars.count > 0)
  }

  /// Returns the names in the middle column of a table, such as `Type.member(label:)`.
  private static func ourNames(in table: String) -> [String] {
    table.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| there") }
      .map { $0.split(separator: "|", omittingEmptySubsequences: false)[2] }
      .flatMap { $0.matches(of: /`([^`]+)`/).map { String($0.1) } }
  }

  @Test func everyVitrineNameInTheTablesForIOSExists() throws {
    let sources = try Self.files(below: Self.root.appending(path: "Sources"), ending: "swift")
      .map(Self.text).joined(separator: "\n").replacing(/\/\/.*/, with: "")
    let declared = Set(
      sources.matches(of: /\b(?:func|var|let|case|class|struct|enum|protocol|typealias) ([A-Za-z_]+)/)
        .map { String($0.1) })
    let labels = Set(sources.matches(of: /([A-Za-z]+)(?: [A-Za-z]+)?:/).map { String($0.1) })
    let names = Self.ourNames(in: try Self.text(of: Self.catalog.appending(path: "ComingFromIOS.md")))

    for name in names {
      let parts = name.split(separator: "(")
      for part in parts[0].split(separator: ".") {
        let isDeclared = declared.contains(String(part))
        #expect(isDeclared, "\(name): no declaration is named \(part)")
      }
      for label in parts.dropFirst().first?.split(separator: ":").dropLast() ?? [] where label != "_" {
        let isLabel = labels.contains(String(label))
        #expect(isLabel, "\(name): no parameter has the label \(label)")
      }
    }

    #expect(names.count > 100)
  }
}
