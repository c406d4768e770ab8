import Foundation
import Glibc
import Testing

@testable import VitrineLoading

/// The lines that `VITRINE_LOG` puts on standard error, in a process of its own.
@Suite(.timeLimit(.minutes(1))) struct DiagnosticLogTests {
  /// The path of the program, which is built into the same folder as the tests.
  private static let program: String = {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(filePath: tests).deletingLastPathComponent().path + "/DiskProbe"
  }()

  /// Runs the program. Returns the lines on standard error.
  private func lines(of mode: String, log: String?) throws -> [Substring] {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
    var words = [strdup(Self.program), strdup(mode), nil]
    let variables: [String] = ["SWIFT_BACKTRACE=enable=no"] + (log.map { ["VITRINE_LOG=\($0)"] } ?? [])
    var environment = variables.map { strdup($0) } + [nil]
    defer { (words + environment).forEach { free($0) } }
    var process: pid_t = 0
    let result = posix_spawn(&process, Self.program, &actions, nil, &words, &environment)
    close(ends[1])
    try #require(result == 0, "\(Self.program) cannot be started")
    let output = FileHandle(fileDescriptor: ends[0], closeOnDealloc: false).readDataToEndOfFile()
    var status: Int32 = 0
    waitpid(process, &status, 0)
    #expect(status == 0)
    return String(decoding: output, as: UTF8.self).split(separator: "\n")
  }

  @Test(arguments: [
    ("hang", "vitrine: disk cache: the disk does not answer; nothing is stored until it does"),
    ("slow", "vitrine: disk cache: the disk is slower than the network; some images are not stored"),
  ])
  func aDiskThatDoesNotAnswerIsReportedOnce(mode: String, line: String) throws {
    #expect(try lines(of: mode, log: "1") == [line[...]])
  }

  @Test(arguments: ["0", "", nil]) func withoutTheVariableNothingIsWritten(log: String?) throws {
    #expect(try lines(of: "hang", log: log).isEmpty)
  }
}
