/// The options of the command line.
struct Options {
  var subjects: [Subject] = []
  /// The path of the JSON file for the figures; `nil` for none.
  var json: String?
  var server = ImageServer.Kind.gallery
  /// The number of measured runs of each side, without warm-up.
  var runs = 9
  var showsHelp = false

  /// A usage error: one line with the mistake and its remedy.
  struct UsageError: Error {
    let message: String
  }

  static let help = """
    vitrine-bench: measures Vitrine beside what it is compared with

    usage: ./run.sh bench [SUBJECT…] [OPTION…]

      first-screen      200 pictures over HTTP into tiles, beside libjpeg-turbo alone
      memory-hit        a lookup in the memory cache, beside a dictionary with a lock
      set-image         a picture from memory put on a slot
      scroll            a frame of a list that scrolls, beside a memmove of the window
      fade              a frame of 50 tiles that change their pictures at once
      idle              what a window does when nothing happens
      spinners          50 slots and one that wait for their pictures
      reuse-storm       10,000 changes of slots a second, for 15 s
      download          2,000 objects of 30 KB from nginx, beside curl --parallel
      latency           200 objects behind 50 ms there and back, beside curl --parallel
      storm             100,000 loads that are given up at once
      fling             a grid thrown past 2,000 pictures: what was loaded for nobody to see
      disk-reopen       a disk cache with 10,000 responses, opened by a program that starts
      fling-memory      four minutes of flinging: memory taken, beside what the ledger counts

      --json FILE       write the figures, an object a subject
      --server NAME     who serves first-screen's pictures: gallery or nginx (gallery)
      --runs N          runs that count, 7 to 99 (9)
      --help            this text

    Without a subject all are measured. Exit codes: 0 fine, 1 it could not go on, 2 wrong use.
    """

  private static let names = ["--json", "--server", "--runs", "--help"]

  /// Parses the arguments, which do not include the program's name. `--name value` and `--name=value` are equivalent.
  init(arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("-") else {
        guard let subject = Subject(rawValue: argument) else {
          let known = Subject.allCases.map(\.rawValue).joined(separator: ", ")
          throw UsageError(message: "unknown subject “\(argument)”; there are \(known)")
        }
        if !subjects.contains(subject) { subjects.append(subject) }
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init)
      func value(_ meaning: String) throws(UsageError) -> String {
        let value = parts.count > 1 ? parts[1] : rest.popFirst()
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
          throw UsageError(message: "--server is one of gallery, nginx, not “\(name)”")
        }
        server = kind
      case "--runs":
        let text = try value("a number")
        guard let number = Int(text), (7...99).contains(number) else {
          throw UsageError(message: "--runs is a number from 7 to 99, not “\(text)”")
        }
        runs = number
      case "--help", "-h": showsHelp = true
      default:
        throw UsageError(
          message: "unknown option \(parts[0]); there are \(Self.names.joined(separator: ", "))")
      }
    }
    if subjects.isEmpty { subjects = Subject.allCases }
  }
}
