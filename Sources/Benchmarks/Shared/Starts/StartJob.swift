import Vitrine

/// The task of a child process that starts a program with a screen of images.
struct StartJob {
  /// The images of the screen.
  enum Screen: String, CaseIterable {
    /// The 200 tiles of `first-screen`.
    case small
    /// 40 images that are large for a tile.
    case large

    var count: Int { self == .small ? ImageSet.count : 40 }
    var tile: Size { self == .small ? Size(width: 64, height: 64) : Size(width: 480, height: 360) }
    var columns: Int { self == .small ? 20 : 8 }
    /// The size of the window, in which all images are visible.
    var window: Size {
      self == .small
        ? Size(width: 1280, height: 800)
        : Size(
          width: Double(columns) * tile.width,
          height: Double((count + columns - 1) / columns) * tile.height)
    }

    var name: String { "\(count) of \(Int(tile.width))x\(Int(tile.height))" }
  }

  /// The contents of `folder`.
  enum Storage: String {
    /// Responses and decoded pixels.
    case pixels
    case responses
    /// A plain file for each body.
    case files
  }

  var base: String
  var screen: Screen
  /// The folder of the caches; `nil` for a start without a disk cache.
  var folder: String?
  var storage = Storage.pixels
  /// True to request the images after the empty window has been presented, as for a screen that is opened later; false
  /// to request them before the first frame.
  var opensWindowFirst = false

  var arguments: [String] {
    [base, screen.rawValue, folder ?? "", storage.rawValue, opensWindowFirst ? "window" : ""]
  }

  init(
    base: String, screen: Screen, folder: String?, storage: Storage = .pixels, opensWindowFirst: Bool = false
  ) {
    (self.base, self.screen, self.folder) = (base, screen, folder)
    (self.storage, self.opensWindowFirst) = (storage, opensWindowFirst)
  }

  init(arguments: [String]) throws {
    guard arguments.count == 5, let screen = Screen(rawValue: arguments[1]),
      let storage = Storage(rawValue: arguments[3])
    else { throw BenchmarkError("a URL, a screen, a folder, a kind of storage, a switch") }
    self.init(
      base: arguments[0], screen: screen, folder: arguments[2].isEmpty ? nil : arguments[2],
      storage: storage, opensWindowFirst: !arguments[4].isEmpty)
  }

  /// Runs the child process. Throws if not all images come from `source`, unless `source` is nil.
  func run(from source: ImageResponse.Source?) throws -> [String: Double] {
    let figures = try ChildProcess(.start, arguments).figures()
    guard let source else { return figures }
    guard figures["from_" + source.rawValue] == Double(screen.count) else {
      let counts = ImageResponse.Source.allCases.map { source in
        "\(Int(figures["from_" + source.rawValue] ?? 0)) from \(source)"
      }
      throw BenchmarkError("not all images come from \(source): \(counts.joined(separator: ", "))")
    }
    return figures
  }
}
