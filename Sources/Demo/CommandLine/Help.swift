/// The text of `--help`.
nonisolated enum Help {
  static let version = "0.1.0"

  private static let options: [(name: String, value: String, meaning: String)] = [
    (
      "--feed", "X",
      "source of the images, also without --feed: a folder, or a text file or its http(s) URL with one image URL per line\n(optionally followed by a tab and a title); default: the embedded gallery of 10,000 images.\nA list from the network may contain only http, https and data URLs. The stored list is shown\nat once, and until its server responds"
    ),
    (
      "--refresh", "MINUTES",
      "interval at which the feed is loaded again, varied by 10 % (15); 0: never. SIGHUP loads it\nat once. Rows that stay keep their images and their place"
    ),
    ("--screen", "NAME", "home, list, grid, buttons, transitions, indicators or animations (home)"),
    ("--size", "WxH", "window size in points (1280x800)"),
    ("--scale", "F", "pixels per point, 0.5 to 8 (1)"),
    ("--rotate", "DEGREES", "rotate output and input for a rotated panel: 0, 90, 180 or 270, clockwise (0)"),
    ("--tile", "WxH", "tile size of the grid in points; images fill their tile and are cropped (160x120)"),
    ("--gap", "N", "points between tiles (8)"),
    ("--chrome", "on|off", "header and status line (on)"),
    ("--video", "NAME", "auto, kmsdrm, x11, wayland, offscreen or dummy (auto)"),
    (
      "--renderer", "NAME",
      "auto (software unless there is a real GPU), software, opengles2 or opengl (auto)"
    ),
    ("--latency", "MS", "response time of the embedded server in ms (150, varied by image)"),
    ("--script", "FILE", "play input and checks, exit with their result"),
    ("--screenshot", "FILE.png", "wait until idle, write the content of the screen, exit"),
    ("--stats", "FILE.json", "write statistics at exit"),
    ("--trace", "FILE.json", "write the stages of each request at exit, to open in Perfetto"),
    ("--overlay", "", "tint each image by its source, show size, time, frames and animations (F1)"),
    (
      "--dump-tree", "",
      "wait until idle, print the accessibility tree, exit: one line per view, indented,\nwith role, name, value, states and frame"
    ),
    (
      "--cache", "DIR",
      "folder of the disk cache and of decoded pixels ($XDG_CACHE_HOME/vitrine, else ~/.cache/vitrine)"
    ),
    ("--no-disk-cache", "", "store nothing on disk"),
    ("--offline", "", "send no request: show what is stored, however old, until F2 is pressed"),
    (
      "--first-frame-wait", "MS",
      "longest time that the first frame waits for images from disk (50); 0 draws it at once"
    ),
    (
      "--seed", "DIR",
      "folder of stored images below the disk cache, which is only read; may be repeated.\n“vitrine prefetch FEED --into DIR” makes one"
    ),
    ("--exit-when-idle", "", "exit when everything is loaded and nothing moves"),
    ("--exit-after", "SECONDS", "exit after this time"),
    ("--help", "", "print this text"),
    ("--version", "", "print the version"),
  ]

  static var optionNames: [String] { options.map(\.name) }

  /// Returns the name of an option's value, empty for an option without a value; `nil` for an unknown option.
  static func value(of name: String) -> String? { options.first { $0.name == name }?.value }

  /// Returns options as lines in two columns.
  static func lines(of options: [(name: String, value: String, meaning: String)]) -> [String] {
    let column = 24
    var lines: [String] = []
    for option in options {
      let head = "  \(option.name) \(option.value)"
      let meaning = option.meaning.split(separator: "\n")
      lines.append(head + String(repeating: " ", count: max(1, column - head.count)) + (meaning.first ?? ""))
      for more in meaning.dropFirst() { lines.append(String(repeating: " ", count: column) + more) }
    }
    return lines
  }

  static var text: String {
    var lines = [
      "vitrine: images from the network on a screen without a desktop", "", "usage: vitrine [FEED] [OPTION…]",
      "       vitrine slideshow [FEED] [OPTION…]: one image after another, see “vitrine slideshow --help”",
      "       vitrine cache COMMAND or vitrine prefetch FEED: tools, see “vitrine cache --help”", "",
    ]
    lines += Self.lines(of: options)
    lines += [
      "",
      "A tap opens an image: two fingers, the wheel, + and - enlarge it, a swipe or an arrow shows the next,\na drag down or Esc closes it. In the list and the grid, a long press or Shift-Enter selects.",
      "The first screen is a slideshow over a strip of all images: arrows move along the strip, Enter opens,\nSpace pauses.",
      "Keys: Tab, arrows and Enter; F1 shows the source of each image and the frames of animations,\nF2 turns --offline on and off, F5 in the list and the grid asks the servers whether images have changed,\nlike pulling the content down.",
      "With VITRINE_LOG=1, failed images, and responses that cannot be stored on disk, are written to standard error.",
      "SIGHUP loads the feed again; if the terminal was closed, it quits.",
      "Esc, Ctrl-C and SIGTERM quit. Exit codes: 0 success, 1 a check failed or the program could not continue,",
      "2 wrong usage.",
    ]
    return lines.joined(separator: "\n")
  }
}
