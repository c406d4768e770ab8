import FoundationEssentials
import Glibc
import HeapLimits

/// The program `vitrine-bench`: measures Vitrine side by side with reference implementations, and prints a table.
///
/// Each subject is measured in child processes that run this program again, so that memory and processor time are those
/// of a single run.
@main
struct Program {
  @MainActor
  static func main() {
    limit_heap()
    exit(run(Array(CommandLine.arguments.dropFirst())))
  }

  /// Runs the program and returns the exit code: 0 for success, 1 if the program could not go on, 2 for wrong use.
  @MainActor
  private static func run(_ arguments: [String]) -> Int32 {
    do {
      if let role = try Role(arguments: arguments) {
        try role.play()
        return 0
      }
      let options = try Options(arguments: arguments)
      if options.showsHelp {
        print(Options.help)
        return 0
      }
      try measure(options)
      return 0
    } catch let error as Options.UsageError {
      logMessage(error.message)
      return 2
    } catch {
      logMessage("\(error)")
      return 1
    }
  }

  private static func measure(_ options: Options) throws {
    var reports: [Report] = []
    for subject in options.subjects {
      logMessage("measuring \(subject.name)")
      do {
        let report = Report(subject: subject, figures: try subject.measure(options))
        reports.append(report)
        print(report.table, terminator: "\n\n")
      } catch let error as NotMeasurable {
        // The remaining subjects are still measured.
        print("\(subject.name)  not measured: \(error.reason)", terminator: "\n\n")
      }
    }
    guard let file = options.json else { return }
    let document = Dictionary(uniqueKeysWithValues: reports.map { ($0.subject.name, $0.values) })
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    do {
      try encoder.encode(document).write(to: URL(filePath: file))
    } catch {
      throw BenchmarkError("cannot write \(file)")
    }
  }

  private static func logMessage(_ message: String) {
    let line = Array("vitrine-bench: \(message)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }
}
