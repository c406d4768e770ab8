/// The options of the command line.
struct Options {
  var subjects: [Subject] = []
  /// The path of the JSON file for the figures; `nil` for none.
  var json: String?
  var server = ImageServer.Kind.gallery
  /// The number that `--runs` states; `nil` without this option.
  private(set) var statedRuns: Int?
  /// The number of measured runs of each side, without warm-up.
  var runs: Int { statedRuns ?? 9 }
  var showsHelp = false

  /// A usage error: one line with the mistake and its remedy.
  struct UsageError: Error { let message: String }

  /// A line per subject, with the summaries in a column.
  private static let subjectLines = Subject.all.map { subject in
    "  \(subject.name)" + String(repeating: " ", count: 18 - subject.name.count) + subject.summary
  }.joined(separator: "\n")

  static let help = """
    vitrine-bench: measures Vitrine beside its references

    usage: ./run.sh bench [SUBJECT…] [OPTION…]

    \(subjectLines)

      --json FILE       write the figures, one object per subject
      --server NAME     the server of the images of first-screen: gallery or nginx (gallery)
      --runs N          the number of measured runs, 7 to 99 (9; first-start: 99)
      --help            print this text

    Without a subject, all subjects are measured. Exit codes: 0 success, 1 the benchmark could not continue,
    2 wrong usage.
    """

  private static let names = ["--json", "--server", "--runs", "--help"]

  /// Parses the arguments, which do not include the program's name. `--name value` and `--name=value` are equivalent.
  init(arguments: [String]) throws(UsageError) {
    var remaining = arguments[...]
    while let argument = remaining.popFirst() {
      guard argument.hasPrefix("-") else {
        guard let subject = Subject.all.first(where: { $0.name == argument }) else {
          let known = Subject.all.map(\.name).joined(separator: ", ")
          throw UsageError(message: "unknown subject “\(argument)”; the subjects are \(known)")
        }
        if !subjects.contains(subject) { subjects.append(subject) }
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init)
      func value(_ meaning: String) throws(UsageError) -> String {
        let value = parts.count > 1 ? parts[1] : remaining.popFirst()
        guard let value, !value.isEmpty, parts.count > 1 || !value.hasPrefix("--") else {
          throw UsageError(message: "\(parts[0]) needs \(meaning)")
        }
        return value
      }
      switch parts[0] {
      case "--json": json = try value("a file name")
      case "--server":
        let name = try value("a name")
        guard let kind = ImageServer.Kind(rawValue: name) else {
          throw UsageError(message: "--server must be gallery or nginx, not “\(name)”")
        }
        server = kind
      case "--runs":
        let text = try value("a number")
        guard let number = Int(text), (7...99).contains(number) else {
          throw UsageError(message: "--runs must be a number from 7 to 99, not “\(text)”")
        }
        statedRuns = number
      case "--help", "-h": showsHelp = true
      default:
        throw UsageError(
          message: "unknown option \(parts[0]); the options are \(Self.names.joined(separator: ", "))")
      }
    }
    if subjects.isEmpty { subjects = Subject.all }
  }
}
