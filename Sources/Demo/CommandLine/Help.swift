/// The text of `--help`.
nonisolated enum Help {
  private static let options: [(name: String, value: String, meaning: String)] = [
    (
      "--feed", "X",
      "where pictures come from: a folder, a text file or its URL with an image URL a line\n(a tab and a title may follow); without it the embedded gallery of 10,000 pictures.\nA list from the network names http, https and data URLs only, and is asked for again\nuntil its server answers; meanwhile it is shown as it was kept on disk"
    ),
    ("--screen", "NAME", "list, grid, buttons, transitions or indicators (list)"),
    ("--size", "WxH", "window in points (1280x800)"),
    ("--scale", "F", "pixels to a point, 0.5 to 8 (1)"),
    ("--rotate", "DEGREES", "picture and input for a turned panel: 0, 90, 180 or 270, clockwise (0)"),
    ("--tile", "WxH", "tile of the grid in points; pictures fill it and are cropped (160x120)"),
    ("--gap", "N", "points between tiles (8)"),
    ("--chrome", "on|off", "header and status line (on)"),
    ("--video", "NAME", "auto, kmsdrm, x11, wayland, offscreen or dummy (auto)"),
    (
      "--renderer", "NAME",
      "auto (software unless there is a real GPU), software, opengles2 or opengl (auto)"
    ),
    ("--latency", "MS", "response time of the embedded server in ms (150, varied by image)"),
    ("--script", "FILE", "play input and checks, exit with their result"),
    ("--screenshot", "FILE.png", "wait until idle, write what is on the screen, exit"),
    ("--stats", "FILE.json", "write figures at exit"),
    ("--trace", "FILE.json", "write what each request went through at exit, to open in Perfetto"),
    ("--overlay", "", "colour each picture by its source, show size, time and frames (F1)"),
    (
      "--dump-tree", "",
      "wait until idle, print what is on the screen: a line a view with role, name, value, states,\nplace and size, indented by what it lies in; exit"
    ),
    (
      "--cache", "DIR",
      "where pictures are kept between runs ($XDG_CACHE_HOME/vitrine, else ~/.cache/vitrine)"
    ),
    ("--no-disk-cache", "", "keep nothing on disk"),
    ("--exit-when-idle", "", "end when everything is loaded and still"),
    ("--exit-after", "SECONDS", "end after so long"),
    ("--help", "", "this text"),
  ]

  static var optionNames: [String] { options.map(\.name) }

  static var text: String {
    var lines = [
      "vitrine: pictures from the network on a screen without a desktop", "", "usage: vitrine [OPTION…]", "",
    ]
    let column = 24
    for option in options {
      let head = "  \(option.name) \(option.value)"
      let meaning = option.meaning.split(separator: "\n")
      lines.append(head + String(repeating: " ", count: max(1, column - head.count)) + meaning[0])
      for more in meaning.dropFirst() { lines.append(String(repeating: " ", count: column) + more) }
    }
    lines += [
      "",
      "Tab, arrows and Enter go everywhere; F1 tells where pictures came from, F5 refreshes, as a pull does.",
      "VITRINE_LOG=1 in the environment says on standard error which pictures failed, and what cannot be kept on disk.",
      "Esc, Ctrl-C and SIGTERM quit. Exit codes: 0 fine, 1 a check failed or it could not go on, 2 wrong use.",
    ]
    return lines.joined(separator: "\n")
  }
}
