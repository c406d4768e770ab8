/// The text of `--help`.
nonisolated enum Help {
  static let version = "0.1.0"

  private static let content = HelpText(
    usage: [
      "vitrine: images from the network on a screen without a desktop", "", "usage: vitrine [FEED] [OPTION…]",
      "       vitrine slideshow [FEED] [OPTION…]: one image after another, see “vitrine slideshow --help”",
      "       vitrine cache COMMAND or vitrine prefetch FEED: tools, see “vitrine cache --help”",
    ],
    options: [
      .init(
        "--feed", "X",
        "source of the images, also without --feed: a folder with its subfolders, an image file,\nor a text file or its http(s) URL with one image URL per line (optionally followed by a tab\nand a title); default: the embedded gallery of 10,000 images. A list from the network may contain\nonly http, https and data URLs. The stored list is shown at once, and until its server responds"
      ),
      .init(
        "--refresh", "MINUTES",
        "interval at which the feed is loaded again, varied by 10 % (15); 0: never. A list that is\nfresh for longer (max-age) is loaded later. SIGHUP loads it at once.\nRows that stay keep their images and their place"
      ),
      .init("--screen", "NAME", "home, list, grid, buttons, transitions, indicators or animations (home)"),
      .init("--size", "WxH", "window size in points (1280x800)"),
      .init(
        "--fullscreen", "", "cover the whole screen on X11 and Wayland, as always on KMSDRM; not with --size"),
      .init("--scale", "F", "pixels per point, 0.5 to 8 (1)"),
      .init(
        "--rotate", "DEGREES", "rotate output and input for a rotated panel: 0, 90, 180 or 270, clockwise (0)"
      ),
      .init(
        "--tile", "WxH",
        "tile size of the grid in points; images fill their tile and are cropped\n(160x120; in a narrow window a size near it, so that tiles fill the width)"
      ),
      .init("--gap", "N", "points between tiles (8)"),
      .init("--chrome", "on|off", "header and status line (on)"),
      .init("--video", "NAME", "auto, kmsdrm, x11, wayland, offscreen or dummy (auto)"),
      .init(
        "--renderer", "NAME",
        "auto (software unless there is a real GPU), software, opengles2 or opengl (auto)"
      ),
      .init("--latency", "MS", "response time of the embedded server in ms (150, varied by image)"),
      .init("--script", "FILE", "play input and checks, exit with their result"),
      .init("--screenshot", "FILE.png", "wait until idle, write the content of the screen, exit"),
      .init("--stats", "FILE.json", "write statistics at exit"),
      .init("--trace", "FILE.json", "write the stages of each request at exit, to open in Perfetto"),
      .init("--overlay", "", "tint each image by its source, show size, time, frames and animations (F1)"),
      .init(
        "--dump-tree", "",
        "wait until idle, print the accessibility tree, exit: one line per view, indented,\nwith role, name, value, states and frame"
      ),
      .init(
        "--cache", "DIR",
        "folder of the disk cache and of decoded pixels ($XDG_CACHE_HOME/vitrine, else ~/.cache/vitrine)"
      ),
      .init("--no-disk-cache", "", "store nothing on disk"),
      .init("--offline", "", "send no request: show what is stored, however old, until F2 is pressed"),
      .init(
        "--first-frame-wait", "MS",
        "longest time that the first frame waits for images from disk (50); 0 draws it at once"
      ),
      .init(
        "--seed", "DIR",
        "folder of stored images below the disk cache, which is only read; may be repeated.\n“vitrine prefetch FEED --into DIR” makes one"
      ),
      .init("--exit-when-idle", "", "exit when everything is loaded and nothing moves"),
      .init("--exit-after", "SECONDS", "exit after this time"),
      .init("--help", "", "print this text"),
      .init("--version", "", "print the version"),
    ],
    notes: [
      "A tap opens an image: two fingers, the wheel, + and - enlarge it, a swipe or an arrow shows the next,\na drag down or Esc closes it, Space or H hides the title. In the list, the grid and the strip of\nthe first screen, a long press, Shift-Enter or Y of a gamepad selects.",
      "The first screen is a slideshow over a strip of all images: arrows move along the strip, Enter opens,\nSpace pauses.",
      "Keys: Tab, arrows and Enter; F1 shows the source of each image and the frames of animations,\nF2 turns --offline on and off, F5 in the list and the grid asks the servers whether images have changed,\nlike pulling the content down.",
      "With VITRINE_LOG=1, failed images, and responses that cannot be stored on disk, are written to standard error.",
      "SIGHUP loads the feed again; if the terminal was closed, it quits.",
    ])

  static var text: String { content.text }
  static var optionNames: [String] { content.options.map(\.name) }

  /// Returns the name of an option's value, empty for an option without a value; `nil` for an unknown option.
  static func value(of name: String) -> String? { content.options.first { $0.name == name }?.value }
}
