import FoundationEssentials

/// The task of this program when it runs as a child process of itself.
struct Role {
  enum Name: String {
    case server, firstScreen, setImage, scroll, fade, idle, spinners, reuseStorm, fetch, storm, fling
    case flingMemory, start, flash, fleet, animation, animationStart, animationSoak, zoom, slideshow, animate
    case open, slideshowHour
  }

  private static let mark = "--child"

  private let name: Name
  private let arguments: [String]

  /// Returns the arguments that start the program in a role.
  static func arguments(_ name: Name, _ more: [String]) -> [String] { [mark, name.rawValue] + more }

  /// Returns `nil` if the program was not started as a child of itself. Throws if the role is unknown.
  init?(arguments: [String]) throws {
    guard arguments.first == Self.mark else { return nil }
    guard arguments.count > 1, let name = Name(rawValue: arguments[1]) else {
      throw BenchmarkError("\(Self.mark) is for the program itself")
    }
    self.name = name
    self.arguments = Array(arguments.dropFirst(2))
  }

  /// Performs the task. A measurement prints its figures as JSON, for `ChildProcess.figures()`.
  @MainActor
  func play() throws {
    let figures: [String: Double]
    switch name {
    case .server: return ImageServer.serve(arguments)
    case .firstScreen: figures = try FirstScreenRun.measure(arguments)
    case .setImage: figures = try SetImageRun.measure(arguments)
    case .scroll: figures = try ScrollRun.measure(arguments)
    case .fade: figures = try FadeRun.measure(arguments)
    case .idle: figures = try IdleRun.measure(arguments)
    case .spinners: figures = try SpinnersRun.measure(arguments)
    case .reuseStorm: figures = try ReuseStormRun.measure(arguments)
    case .fetch: figures = try FetchRun.measure(arguments)
    case .storm: figures = try StormRun.measure(arguments)
    case .fling: figures = try FlingRun.measure(arguments)
    case .flingMemory: figures = try FlingMemoryRun.measure(arguments)
    case .start: figures = try StartRun.measure(arguments)
    case .flash: figures = try FlashRun.measure(arguments)
    case .fleet: figures = try FleetRun.measure(arguments)
    case .animation: figures = try AnimationRun.measure(arguments)
    case .animationStart: figures = try AnimationStart.measure(arguments)
    case .slideshow: figures = try SlideshowRun.measure(arguments)
    case .animate: figures = try AnimateRun.measure()
    case .zoom: figures = try ZoomRun.measure(arguments)
    case .open: figures = try OpenRun.measure(arguments)
    case .slideshowHour: figures = try SlideshowHourRun.measure(arguments)
    case .animationSoak: figures = try AnimationSoakRun.measure(arguments)
    }
    print(String(decoding: try JSONEncoder().encode(figures), as: UTF8.self))
  }
}
