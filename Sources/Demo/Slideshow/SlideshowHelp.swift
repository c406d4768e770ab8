/// The text of `vitrine slideshow --help`.
nonisolated enum SlideshowHelp {
  private static let content = HelpText(
    usage: [
      "usage: vitrine slideshow [FEED] [OPTION…]", "",
      "Shows one image after another from a folder, an image file, a list or its URL, or from the gallery: over the",
      "whole screen, or in a window with --size. Images of another shape are shown whole. Images that fail are",
      "tried again later.",
    ],
    options: [
      .init("--seconds", "N", "time for which each image is shown between two transitions, from 0.1 (10)"),
      .init(
        "--transition", "NAME",
        "none, fade, cross-dissolve, blinds, or slide- or flip- with left, right, up or down,\nas slide-left (cross-dissolve)"
      ),
      .init("--order", "NAME", "list, or shuffled: each image once before one is repeated (list)"),
      .init(
        "--caption", "NAME",
        "title, date, title-date, or none (title); the title of a file is the one in the\nimage, otherwise its name"
      ),
      .init("--clock", "", "show the time of day"),
      .init("--motion", "on|off", "slow pan and zoom over images that fill the screen (on)"),
    ],
    notes: [
      "The options of “vitrine --help” apply as well, except --feed, --screen, --tile, --gap and --chrome.",
      "",
      "Keys: ← and →, a flick, or the wheel show the previous and the next image; Space, Enter or a tap pauses. A finger",
      "on the screen pauses until it is lifted. F1 shows the frames, F2 turns --offline on and off, F5 loads the feed",
      "again.",
    ])

  static var text: String { content.text }
  static var optionNames: [String] { content.options.map(\.name) }
}
