package import Foundation
import Glibc

/// Runs the program `vitrine` off screen.
package struct VitrineProgram {
  package struct Outcome {
    package var exitCode: Int32
    /// The bytes of the standard output, which need not be text.
    package var outputData: Data
    package var errors: String
    /// The figures that `--stats` wrote, or `nil` without a stats file.
    package var stats: Stats?

    /// The standard output as text.
    package var output: String { String(decoding: outputData, as: UTF8.self) }
  }

  package struct Stats: Decodable {
    package struct Images: Decodable { package var shown, failed, memory, disk, network, file, stale: Int }
    package struct Network: Decodable { package var requests, bytes, connections: Int }
    package struct Frames: Decodable { package var presented, images_in_first_frame: Int }
    package struct Times: Decodable { package var first_frame, load_start, loaded, idle: Double? }
    package var images: Images
    package var network: Network
    package var frames: Frames
    package var time_ms: Times
    package var cpu_s: Double
    package var video: String
    package var renderer: String
  }

  /// The error for a run that was stopped after 150 seconds.
  package struct DidNotEnd: Error {
    package let arguments: [String]
  }

  /// A temporary folder for the files of the runs.
  package let folder = FileManager.default.temporaryDirectory
    .appending(path: "vitrine-\(UUID().uuidString)")

  /// True to keep the disk cache between runs, in `cache` below `folder`.
  private let keepsImages: Bool

  package init(keepsImages: Bool = false) throws {
    self.keepsImages = keepsImages
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  package func path(_ name: String) -> String { folder.appending(path: name).path }

  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: folder.appending(path: name))
    return path(name)
  }

  /// Writes a folder with copies of a photograph of the repository, and returns its path.
  package func folder(ofPhotos names: [String]) throws -> String {
    let folder = path("photos")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for name in names {
      try FileManager.default.copyItem(
        atPath: Self.assets + "/buttons/portrait.jpg", toPath: folder + "/" + name)
    }
    return folder
  }

  /// Writes a feed of two images, "One" and "Two", for which a gallery server responds with 404. Returns its path.
  ///
  /// - Parameter server: The base URL of the server.
  package func feedOfMissingImages(on server: String) throws -> String {
    let image = server + "/gallery/buttons/portrait.jpg?status=404"
    return try write("\(image)&row=1\tOne\n\(image)&row=2\tTwo", to: "feed.txt")
  }

  package func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Runs the program to its end. Stops it after 150 s and throws `DidNotEnd`.
  package func run(_ arguments: String..., script: String? = nil) async throws -> Outcome {
    try await run(arguments: arguments, script: script)
  }

  /// - Parameters:
  ///   - arguments: The arguments. The screen is the list if they do not name one.
  ///   - terminates: True to send SIGTERM when the window is open.
  ///   - terminatesWhen: A condition that is checked until it is true; the signal is sent then. In place of
  ///     `terminates`.
  ///   - signal: The signal in place of SIGTERM.
  ///   - input: The standard input; none by default.
  ///   - standardOutput: The file that receives the standard output in place of `Outcome.outputData`.
  ///   - errorOutput: The file that receives the error output in place of `Outcome.errors`.
  ///   - closing: Standard descriptors that are closed when the program starts.
  ///   - whileRunning: Called with the process identifier when the window is open. Cancelled when the program ends.
  package func run(
    arguments: [String], script: String? = nil, terminates: Bool = false,
    terminatesWhen condition: (@Sendable () -> Bool)? = nil, signal: Int32 = SIGTERM,
    input: FileHandle = .nullDevice, standardOutput: FileHandle? = nil, errorOutput: FileHandle? = nil,
    closing descriptors: [Int32] = [], whileRunning: (@Sendable (Int32) async throws -> Void)? = nil
  ) async throws -> Outcome {
    // The tools have options of their own.
    let isTool = ["cache", "prefetch"].contains(arguments.first)
    var arguments = arguments
    if !isTool, arguments.first != "slideshow", !arguments.contains(where: { $0.hasPrefix("--screen") }) {
      arguments += ["--screen", "list"]
    }
    if let script { arguments += ["--script", try write(script, to: "script.txt")] }
    let stats = path("stats.json")
    if !isTool, !arguments.contains("--help"), !arguments.contains("--version") {
      arguments += ["--stats", stats]
    }
    if !isTool, !keepsImages { arguments.append("--no-disk-cache") }

    let process = Process()
    process.executableURL = Self.executable
    process.arguments = arguments
    if !descriptors.isEmpty {
      // `Process` cannot close descriptors.
      process.executableURL = URL(filePath: "/bin/sh")
      let closed = descriptors.map { "\($0)>&-" }.joined(separator: " ")
      process.arguments = ["-c", "exec \"$0\" \"$@\" \(closed)", Self.executable.path] + arguments
    }
    var environment = ProcessInfo.processInfo.environment
    environment["VITRINE_ASSETS"] = environment["VITRINE_ASSETS"] ?? Self.assets
    environment["XDG_CACHE_HOME"] = path("cache")
    environment["DISPLAY"] = nil
    environment["WAYLAND_DISPLAY"] = nil
    environment["SDL_VIDEODRIVER"] = nil
    environment["LSAN_OPTIONS"] = "suppressions=\(Self.suppressions):print_suppressions=0"
    process.environment = environment
    let output = folder.appending(path: "out.txt")
    let errors = folder.appending(path: "err.txt")
    for file in [output, errors] { try Data().write(to: file) }
    let outputs = [try FileHandle(forWritingTo: output), try FileHandle(forWritingTo: errors)]
    defer { for handle in outputs { try? handle.close() } }
    process.standardOutput = standardOutput ?? outputs[0]
    process.standardError = errorOutput ?? outputs[1]
    process.standardInput = input

    let watchdog = Task {
      guard (try? await Task.sleep(for: .seconds(150))) != nil else { return false }
      process.terminate()
      // A program whose loop hangs does not handle SIGTERM.
      if (try? await Task.sleep(for: .seconds(10))) != nil { kill(process.processIdentifier, SIGKILL) }
      return true
    }
    let hasWindow: @Sendable () -> Bool = {
      (try? String(contentsOf: errors, encoding: .utf8))?.contains("video ") == true
    }
    let companion = Task {
      guard let whileRunning else { return }
      while !hasWindow() { try await Task.sleep(for: .milliseconds(20)) }
      try await whileRunning(process.processIdentifier)
    }
    let hasEnded = DispatchSemaphore(value: 0)
    if terminates || condition != nil {
      // On a thread of its own: tests that block can hold all threads of tasks for longer than the program waits.
      Thread.detachNewThread {
        while !(condition ?? hasWindow)() {
          if hasEnded.wait(timeout: .now() + 0.02) == .success { return }
        }
        if process.isRunning { kill(process.processIdentifier, signal) }
      }
    }
    defer {
      watchdog.cancel()
      companion.cancel()
      hasEnded.signal()
    }
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in ended.resume() }
      do { try process.run() } catch { ended.resume(throwing: error) }
    }
    watchdog.cancel()
    if await watchdog.value { throw DidNotEnd(arguments: arguments) }
    return Outcome(
      exitCode: process.terminationStatus,
      outputData: try Data(contentsOf: output),
      errors: try String(contentsOf: errors, encoding: .utf8),
      stats: (try? Data(contentsOf: URL(filePath: stats))).flatMap {
        try? JSONDecoder().decode(Stats.self, from: $0)
      })
  }

  /// The program in the folder of the test bundle, whose path is an argument of the test runner.
  private static let executable: URL = {
    let arguments = CommandLine.arguments
    let bundle = arguments.firstIndex(of: "--test-bundle-path").flatMap {
      $0 + 1 < arguments.count ? arguments[$0 + 1] : nil
    }
    let path = bundle ?? arguments[0]
    return URL(filePath: path).deletingLastPathComponent().appending(path: "vitrine")
  }()

  /// The folder of the repository's images.
  package static let assets = path(fromTests: "../Assets")

  /// The suppressions for a leak sanitizer.
  private static let suppressions = path(fromTests: "Support/leaks-program.txt")

  private static func path(fromTests path: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../\(path)").standardizedFileURL
      .path
  }
}
