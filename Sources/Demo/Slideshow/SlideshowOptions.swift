import Vitrine

/// The command line `slideshow [FEED]` with options: those of a slideshow, and those of the demo that make sense for it.
nonisolated struct SlideshowOptions: Equatable {
  /// The options of window, cache and run, with the feed.
  var run: Options
  /// The seconds for which each image is shown between two transitions.
  var seconds = 10.0
  var transition = "cross-dissolve"
  var order = "list"
  var caption = SlideCaption.title
  var hasClock = false
  /// True if images move slowly.
  var moves = true

  static let word = "slideshow"
  static let orders = ["list", "shuffled"]
  /// The options of the demo that do not apply, because a slideshow has no other screens, tiles and bars.
  private static let foreignNames: Set<String> = ["--feed", "--screen", "--tile", "--gap", "--chrome"]

  /// Parses the arguments. Returns `nil` if they do not begin with the word `slideshow`.
  init?(arguments: [String]) throws(Options.UsageError) {
    guard arguments.first == Self.word else { return nil }
    run = try Options(arguments: [])
    var list = ToolArguments(arguments.dropFirst())
    var common: [String] = []
    var feed: String?
    var hasSize = false
    while let argument = try list.next() {
      switch argument {
      case .word(let text):
        guard feed == nil else {
          throw Options.UsageError(message: "unexpected “\(Options.shown(text))”; slideshow takes one feed")
        }
        feed = text
      case .option(let name):
        hasSize = hasSize || name == "--size"
        if try !read(name, &list) { common += try Self.commonArguments(name, &list) }
      }
      try list.checkValueIsUsed()
    }
    run = try Options(arguments: common)
    run.feed = feed
    run.chrome = false
    run.isFullScreen = run.isFullScreen || !hasSize
    run.screen = Self.word
  }

  /// Reads an option of a slideshow. Returns false for another option.
  private mutating func read(_ name: String, _ list: inout ToolArguments) throws(Options.UsageError) -> Bool {
    switch name {
    case "--seconds": seconds = try Options.number(name, try list.value("seconds, as 10"), in: 0.1...86_400)
    case "--transition":
      transition = try Options.choice(name, try list.value("a name"), of: SlideTransition.names)
    case "--order": order = try Options.choice(name, try list.value("a name"), of: Self.orders)
    case "--caption":
      let word = try Options.choice(name, try list.value("a name"), of: SlideCaption.allCases.map(\.rawValue))
      caption = SlideCaption(rawValue: word) ?? .title
    case "--clock": hasClock = true
    case "--motion": moves = try Options.choice(name, try list.value("on or off"), of: ["on", "off"]) == "on"
    default: return false
    }
    return true
  }

  /// Returns an option of the demo as arguments, with its value.
  private static func commonArguments(
    _ name: String, _ list: inout ToolArguments
  ) throws(Options.UsageError) -> [String] {
    if name == "-h" { return [name] }
    if name == "--feed" { throw Options.UsageError(message: "slideshow takes its feed without --feed") }
    guard !foreignNames.contains(name) else {
      throw Options.UsageError(message: "\(name) does not apply to slideshow")
    }
    guard let value = Help.value(of: name) else {
      let names = SlideshowHelp.optionNames + Help.optionNames.filter { !foreignNames.contains($0) }
      let hint = Typo.nearest(to: name, among: names, within: 3).map { "did you mean \($0)?" }
      throw Options.UsageError(
        message: "unknown option \(Options.shown(name)); \(hint ?? "see vitrine slideshow --help")")
    }
    return value.isEmpty ? [name] : [name, try list.value(value)]
  }
}
