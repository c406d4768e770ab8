import FoundationEssentials
import Vitrine

/// The options of the command line.
nonisolated struct Options: Equatable {
  var feed: String?
  /// The interval at which the feed is loaded again, in minutes; 0 for never.
  var refresh = 15.0
  var screen = "home"
  var size = Size(width: 1280, height: 800)
  /// True if the window covers the whole screen.
  var isFullScreen = false
  var scale = 1.0
  var rotation = Rotation.none
  /// The size of a tile of the grid in points; `nil` for `GridTile.size`.
  var tile: Size?
  /// The gap between tiles in points.
  var gap = 8.0
  /// True if the header and the status line are shown.
  var chrome = true
  var video: String?
  var renderer = SDLHost.Configuration.Renderer.auto
  /// The response time of the embedded server in milliseconds; `nil` varies it by image around 150.
  var latency: Int?
  var script, screenshot, stats, trace: String?
  var overlay = false
  var dumpsTree = false
  var exitWhenIdle = false
  var exitAfter: Double?
  /// The folder of the disk cache; `nil` for the user's cache folder.
  var cache: String?
  var hasDiskCache = true
  /// True to send no request over the network.
  var isOffline = false
  /// The longest time in milliseconds for which the first frame waits for images from disk; `nil` for the default.
  var firstFrameWait: Double?
  /// Folders of stored images that are only read, below the disk cache, the upper one first.
  var seeds: [String] = []
  var showsHelp = false
  var showsVersion = false

  /// True if the program ends when everything is loaded and nothing moves.
  var endsWhenIdle: Bool { screenshot != nil || dumpsTree || exitWhenIdle }

  /// A usage error: one line with the mistake and its remedy.
  struct UsageError: Error, Equatable { let message: String }

  static let screens = [
    (name: "home", title: "Home"), (name: "list", title: "List"), (name: "grid", title: "Grid"),
    (name: "buttons", title: "Buttons"), (name: "transitions", title: "Transitions"),
    (name: "indicators", title: "Indicators"), (name: "animations", title: "Animations"),
  ]
  static let videoDrivers = ["auto", "kmsdrm", "x11", "wayland", "offscreen", "dummy"]
  static let renderers = SDLHost.Configuration.Renderer.allCases.map(\.rawValue)

  /// Parses the arguments, which do not include the program's name. `--name value` and `--name=value` are equivalent.
  init(arguments: [String]) throws(UsageError) {
    var remaining = arguments[...]
    var hasSize = false
    while let argument = remaining.popFirst() {
      guard argument.hasPrefix("-") else {
        if feed == nil, Self.isFeed(argument) {
          feed = argument
          continue
        }
        throw UsageError(
          message: Self.unexpected(argument, isFirst: argument == arguments.first, hasFeed: feed != nil))
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      var inlineValue = parts.count > 1 ? String(parts[1]) : nil

      func value(_ meaning: String) throws(UsageError) -> String {
        defer { inlineValue = nil }
        if let inlineValue, !inlineValue.isEmpty { return inlineValue }
        guard inlineValue == nil, let next = remaining.first, !next.isEmpty, !next.hasPrefix("--") else {
          throw UsageError(message: "\(name) needs \(meaning)")
        }
        remaining.removeFirst()
        return next
      }

      switch name {
      case "--feed": feed = try value("a folder, a file or a URL")
      case "--refresh":
        refresh = try Self.number(name, try value("minutes, as 15"), in: 0...Self.longestRefresh)
      case "--screen": screen = try Self.choice(name, try value("a name"), of: Self.screens.map(\.name))
      case "--size":
        size = try Self.size(
          name, try value("a size, as 1280x800"), like: "1280x800", in: 64...Self.longestSide)
        hasSize = true
      case "--fullscreen": isFullScreen = true
      case "--tile":
        tile = try Self.size(name, try value("a size, as 160x120"), like: "160x120", in: 16...4096)
      case "--gap": gap = try Self.number(name, try value("points, as 8"), in: 0...1000)
      case "--chrome": chrome = try Self.choice(name, try value("on or off"), of: ["on", "off"]) == "on"
      case "--scale": scale = try Self.number(name, try value("pixels per point"), in: 0.5...8)
      case "--rotate": rotation = try Self.rotation(try value("degrees"))
      case "--video": video = try Self.choice(name, try value("a driver"), of: Self.videoDrivers)
      case "--renderer":
        let choice = try Self.choice(name, try value("a name"), of: Self.renderers)
        renderer = SDLHost.Configuration.Renderer(rawValue: choice) ?? .auto
      case "--latency": latency = Int(try Self.number(name, try value("milliseconds"), in: 0...60_000))
      case "--script": script = try value("a file")
      case "--screenshot": screenshot = try value("a file name, ending in .png")
      case "--stats": stats = try value("a file name")
      case "--trace": trace = try value("a file name")
      case "--overlay": overlay = true
      case "--dump-tree": dumpsTree = true
      case "--exit-when-idle": exitWhenIdle = true
      case "--exit-after": exitAfter = try Self.number(name, try value("seconds"), in: 0...1e6)
      case "--cache": cache = try value("a folder")
      case "--no-disk-cache": hasDiskCache = false
      case "--offline": isOffline = true
      case "--first-frame-wait":
        firstFrameWait = try Self.number(name, try value("milliseconds, as 50"), in: 0...10_000)
      case "--seed": seeds.append(try value("a folder"))
      case "--help", "-h": showsHelp = true
      case "--version": showsVersion = true
      default: throw UsageError(message: "unknown option \(Self.shown(name))\(Self.hint(for: name))")
      }
      if inlineValue != nil { throw UsageError(message: "\(name) takes no value") }
    }
    if video == "auto" { video = nil }
    if cache != nil, !hasDiskCache {
      throw UsageError(message: "--cache and --no-disk-cache cannot be combined")
    }
    if isFullScreen, hasSize {
      throw UsageError(message: "--fullscreen and --size cannot be combined")
    }
    guard max(size.width, size.height) * scale <= Double(Self.longestSide) else {
      throw UsageError(message: "--size times --scale is more than \(Self.longestSide) pixels per side")
    }
  }

  /// True for a path that exists, or a URL: `vitrine ~/Pictures` shows a folder.
  private static func isFeed(_ argument: String) -> Bool {
    !ToolOptions.words.contains(argument)
      && (argument.contains("://") || FileManager.default.fileExists(atPath: argument))
  }

  /// Returns the message for an argument that is neither an option nor a feed. The first argument may be a
  /// mistyped name of a tool.
  private static func unexpected(_ argument: String, isFirst: Bool, hasFeed: Bool) -> String {
    let words = ToolOptions.words + [SlideshowOptions.word]
    let tool = isFirst ? Typo.nearest(to: argument, among: words, within: 2) : nil
    if words.contains(argument) { return "“\(argument)” comes first: vitrine \(argument) …" }
    if let tool { return "unexpected “\(shown(argument))”; did you mean \(tool)?" }
    let mistake =
      hasFeed ? "unexpected “\(shown(argument))”" : "there is no folder or list “\(shown(argument))”"
    return "\(mistake); options begin with --, see --help"
  }

  /// Returns the beginning of a mistyped argument, in one line. The rest of a URL may contain a password or a token.
  static func shown(_ argument: String) -> String {
    let kept = argument.prefix(100).prefix { !":@?#".contains($0) && !$0.isNewline }
    return kept.endIndex < argument.endIndex ? "\(kept)…" : argument
  }

  /// The maximum number of minutes between two updates of the feed: a year.
  private static let longestRefresh = 525_600.0
  /// The maximum length of a window's side in pixels.
  private static let longestSide = 16_384

  static func choice(
    _ name: String, _ value: String, of choices: [String]
  ) throws(UsageError) -> String {
    guard choices.contains(value.lowercased()) else {
      throw UsageError(message: "\(name) is one of \(choices.joined(separator: ", ")), not “\(value)”")
    }
    return value.lowercased()
  }

  static func size(
    _ name: String, _ text: String, like example: String, in range: ClosedRange<Int>
  ) throws(UsageError) -> Size {
    let sides = text.lowercased().split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1],
      range.contains(width), range.contains(height)
    else {
      let (least, most) = (range.lowerBound, range.upperBound)
      throw UsageError(
        message:
          "\(name) is a size such as \(example), from \(least)x\(least) to \(most)x\(most), not “\(text)”")
    }
    return Size(width: Double(width), height: Double(height))
  }

  private static func rotation(_ text: String) throws(UsageError) -> Rotation {
    guard let rotation = Int(text).flatMap(Rotation.init) else {
      let choices = Rotation.allCases.map { String($0.rawValue) }.joined(separator: ", ")
      throw UsageError(message: "--rotate is one of \(choices), not “\(text)”")
    }
    return rotation
  }

  static func number(
    _ name: String, _ text: String, in range: ClosedRange<Double>
  ) throws(UsageError) -> Double {
    guard let number = Double(text), range.contains(number) else {
      func short(_ bound: Double) -> String { bound == bound.rounded() ? String(Int(bound)) : String(bound) }
      throw UsageError(
        message:
          "\(name) is a number from \(short(range.lowerBound)) to \(short(range.upperBound)), not “\(text)”")
    }
    return number
  }

  /// Returns a hint with the option whose name is most similar to a mistyped one, or a reference to `--help` if none is
  /// similar.
  private static func hint(for name: String) -> String {
    guard let nearest = Typo.nearest(to: name, among: Help.optionNames, within: 3) else {
      return "; see --help"
    }
    return "; did you mean \(nearest)?"
  }
}
