/// An hour of a slideshow of photographs, with an accelerated clock: memory and descriptors do not grow.
enum SlideshowHour {
  static func measure(_ options: Options) throws -> [Figure] {
    let set = try PhotoSet()
    let figures = try ChildProcess(.slideshowHour, [set.folder]).figures()
    func figure(_ name: String) -> Samples { Samples([figures[name] ?? .nan]) }
    return [
      Figure("slides", figure("slides"), label: "slides shown in an hour"),
      Figure("memory_early_mb", figure("memory_early"), label: "memory in minutes 11 to 20", unit: "MB"),
      Figure("memory_late_mb", figure("memory_late"), label: "  in minutes 51 to 60", unit: "MB"),
      Figure("memory_growth", figure("memory_growth"), label: "  growth", unit: "%", floor: .atMost(2)),
      Figure("descriptors_early", figure("descriptors_early"), label: "descriptors in minutes 11 to 20"),
      Figure("descriptors_late", figure("descriptors_late"), label: "  in minutes 51 to 60"),
      Figure(
        "descriptors_growth", figure("descriptors_growth"), label: "  growth", unit: "%", floor: .atMost(2)),
    ]
  }
}
