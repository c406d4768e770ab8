import Glibc
import Testing

/// The lines that `VITRINE_LOG` writes to standard error, tested in a separate process.
@Suite(.timeLimit(.minutes(5))) struct DiagnosticLogTests {
  /// Runs the program. Returns the lines on standard error.
  private func lines(of mode: String, log: String?) throws -> [Substring] {
    let process = try ProbeProcess(
      [mode], piping: STDERR_FILENO, variables: log.map { ["VITRINE_LOG=\($0)"] } ?? [])
    let output = process.outputToTheEnd()
    #expect(process.end() == 0)
    return output.split(separator: "\n")
  }

  @Test(arguments: [
    ("hang", "vitrine: disk cache: the disk does not respond; nothing is stored until it does"),
    ("slow", "vitrine: disk cache: the disk is slower than the network; some images are not stored"),
  ])
  func hangingOrSlowDiskIsReportedOnce(mode: String, line: String) throws {
    #expect(try lines(of: mode, log: "1") == [line[...]])
  }

  @Test(arguments: ["0", "", nil]) func nothingIsLoggedWithoutTheVariable(log: String?) throws {
    #expect(try lines(of: "hang", log: log).isEmpty)
  }
}
