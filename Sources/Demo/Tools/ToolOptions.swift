import Vitrine

/// The command line of a tool: `cache COMMAND` or `prefetch FEED`, with options.
nonisolated struct ToolOptions: Equatable {
  enum Command: String, CaseIterable {
    case list = "ls"
    case statistics = "stat"
    case verify
    case trim
    case clear
    case exportArchive = "export"
    case importArchive = "import"
    case prefetch
    /// No command: the help is printed.
    case help
  }

  var command = Command.help
  /// The folder of the cache; `nil` for the user's cache folder.
  var cache: String?
  /// True to print JSON on standard output.
  var isJSON = false
  /// True if `verify` removes damaged files.
  var repairs = false
  /// The number of bytes that `trim` leaves; `nil` for the limit of the cache.
  var limit: Int?
  /// The archive, or `-` for standard output or input.
  var file = ""
  var feed = ""
  /// The folder that `prefetch` fills and that all users may read afterwards.
  var into: String?
  /// The sizes in pixels at which `prefetch` decodes the images.
  var sizes: [DecodeTarget] = []

  /// The words with which a tool begins.
  static let words = ["cache", "prefetch"]
  /// The commands after `cache`.
  static let cacheCommands = Command.allCases.filter { ![.prefetch, .help].contains($0) }

  /// Parses the arguments. Returns `nil` if they do not begin with the word of a tool.
  init?(arguments: [String]) throws(Options.UsageError) {
    guard let word = arguments.first, Self.words.contains(word) else { return nil }
    if word == "prefetch" { command = .prefetch }
    var list = ToolArguments(arguments.dropFirst())
    var operands: [String] = []
    var given: [String] = []
    while let argument = try list.next() {
      switch argument {
      case .word(let text):
        if word == "cache", command == .help {
          command = try Self.command(text)
        } else {
          operands.append(text)
        }
      case .option(let name):
        if ["--help", "-h"].contains(name) {
          command = .help
          return
        }
        try read(name, &list)
        given.append(name)
      }
      try list.checkValueIsUsed()
    }
    try check(word, operands, given)
  }

  private mutating func read(_ name: String, _ list: inout ToolArguments) throws(Options.UsageError) {
    switch name {
    case "--cache": cache = try list.value("a folder")
    case "--json": isJSON = true
    case "--repair": repairs = true
    case "--limit":
      limit = Int(try Options.number(name, try list.value("a number of MiB"), in: 0...1e6) * 0x1p20)
    case "--into": into = try list.value("a folder")
    case "--size":
      let size = try Options.size(name, try list.value("pixels, as 320x240"), like: "320x240", in: 1...16_384)
      sizes.append(DecodeTarget(width: Int(size.width), height: Int(size.height)))
    default:
      let hint = Typo.nearest(to: name, among: Self.optionNames, within: 3).map { "did you mean \($0)?" }
      throw Options.UsageError(
        message: "unknown option \(Options.shown(name)); \(hint ?? "see vitrine cache --help")")
    }
  }

  private static let optionNames = ["--cache", "--json", "--repair", "--limit", "--into", "--size", "--help"]

  /// The options of a command.
  private static func options(of command: Command) -> Set<String> {
    switch command {
    case .list, .statistics, .clear, .exportArchive, .importArchive: ["--cache", "--json"]
    case .verify: ["--cache", "--json", "--repair"]
    case .trim: ["--cache", "--json", "--limit"]
    case .prefetch: ["--cache", "--into", "--size", "--json"]
    case .help: []
    }
  }

  private static func command(_ text: String) throws(Options.UsageError) -> Command {
    if let command = cacheCommands.first(where: { $0.rawValue == text }) { return command }
    let names = cacheCommands.map(\.rawValue)
    let hint =
      Typo.nearest(to: text, among: names, within: 2).map { "did you mean \($0)?" }
      ?? "the commands are \(names.joined(separator: ", "))"
    throw Options.UsageError(message: "unknown command “\(Options.shown(text))”; \(hint)")
  }

  // MARK: Checks

  private mutating func check(
    _ word: String, _ operands: [String], _ given: [String]
  ) throws(Options.UsageError) {
    guard command != .help else {
      let names = Self.cacheCommands.map(\.rawValue).joined(separator: ", ")
      throw Options.UsageError(message: "cache needs a command: \(names)")
    }
    let name = word == "cache" ? "cache \(command.rawValue)" : word
    if let wrong = given.first(where: { !Self.options(of: command).contains($0) }) {
      throw Options.UsageError(message: "\(wrong) does not apply to \(name)")
    }
    if cache != nil, into != nil {
      throw Options.UsageError(message: "--cache and --into cannot be combined")
    }
    var remaining = operands[...]
    switch command {
    case .exportArchive, .importArchive:
      file = try Self.operand(&remaining, "\(name) needs a file, or - for standard \(streamName)")
    case .prefetch: feed = try Self.operand(&remaining, "prefetch needs a folder, a file or a URL")
    default: break
    }
    if let extra = remaining.first {
      throw Options.UsageError(message: "unexpected “\(Options.shown(extra))” after \(name)")
    }
  }

  private var streamName: String { command == .exportArchive ? "output" : "input" }

  private static func operand(
    _ operands: inout ArraySlice<String>, _ message: String
  ) throws(Options.UsageError) -> String {
    guard let operand = operands.popFirst(), !operand.isEmpty else {
      throw Options.UsageError(message: message)
    }
    return operand
  }
}
