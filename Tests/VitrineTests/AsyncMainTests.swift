import Foundation
import Testing
import Vitrine
import VitrineTesting

/// Programs with an asynchronous `main`, in which the main actor leaves the process's first thread.
@Suite(.timeLimit(.minutes(5)))
struct AsyncMainTests {
  private let advice = "not on the process's first thread: make main() synchronous"

  @Test func applicationOffTheFirstThreadIsRefusedWithOneLine() async throws {
    let (output, errors) = try await outcome(of: "init")

    #expect(output.hasPrefix("error: \(advice)"))
    #expect(output.split(separator: "\n").count == 1)
    #expect(errors.isEmpty)
  }

  @Test func runOffTheFirstThreadReturnsAndPrintsAdvice() async throws {
    let (output, errors) = try await outcome(of: "run")

    #expect(output.hasPrefix("failure: \(advice)"))
    #expect(errors.hasPrefix("vitrine: \(advice)"))
    #expect(errors.split(separator: "\n").count == 1)
  }

  @Test func bootstrapForEachRequestMakesOneDownloader() async throws {
    let (output, _) = try await outcome(of: "bootstrap")

    let lines = output.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("log: bootstrap: another configuration is ignored") } == 1)
    let counts = lines.first { $0.hasPrefix("others: 0, threads: ") }
    #expect(counts != nil, "\(output)")
    let threads = counts?.split(separator: " ").last.flatMap { Int($0) }
    #expect((threads ?? 99) <= 2)
    #expect(lines.last == "after shutDown: true")
  }

  @MainActor @Test func applicationInATestIsRefused() {
    #expect(throws: SDLHostError.notFirstThread) { try Application(title: "Test") }
  }

  /// Runs the probe to its end, which a frozen probe would not reach.
  private func outcome(of mode: String) async throws -> (output: String, errors: String) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "probe-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (output, errors) = (folder.appending(path: "out"), folder.appending(path: "err"))
    for file in [output, errors] { try Data().write(to: file) }
    let process = Process()
    process.executableURL = URL(
      filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    )
    .deletingLastPathComponent().appending(path: "AsyncMainProbe")
    process.arguments = [mode]
    // SDL frees its data of a thread only when it is shut down on that thread. AddressSanitizer would report the rest.
    process.environment = ["HOME": folder.path, "ASAN_OPTIONS": "detect_leaks=0"]
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    defer { if process.isRunning { process.terminate() } }
    try await until { !process.isRunning }
    return (try String(contentsOf: output, encoding: .utf8), try String(contentsOf: errors, encoding: .utf8))
  }
}
