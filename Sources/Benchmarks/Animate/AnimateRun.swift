import Vitrine

/// The child process of `Animate`.
@MainActor
enum AnimateRun {
  private static let count = 50
  private static let frames = 300

  static func measure() throws -> [String: Double] {
    ["views_ms": try milliseconds(hasSubviews: false), "groups_ms": try milliseconds(hasSubviews: true)]
  }

  /// Returns the mean work on a frame.
  ///
  /// - Parameter hasSubviews: True for views that have to be mixed as groups.
  private static func milliseconds(hasSubviews: Bool) throws -> Double {
    let application = try Application.offscreen { $0.host.size = Size(width: 1280, height: 800) }
    defer { application.host.close() }
    let host = application.host
    var time = 0.0
    host.clock = .manual { time }
    let views = (0..<count).map { index in
      let view = View(
        frame: Rect(x: Double(index % 10) * 120, y: Double(index / 10) * 150, width: 100, height: 120))
      view.backgroundColor = Color(red: UInt8(index * 5), green: 120, blue: 200)
      if hasSubviews { view.addSubview(Label("Label", color: .white)) }
      view.subviews.first?.frame = Rect(x: 10, y: 10, width: 80, height: 20)
      application.window.addSubview(view)
      return view
    }
    for (index, view) in views.enumerated() {
      view.animate(duration: Double(frames + 10) / 60) {
        $0.frame.origin.x += index % 2 == 0 ? 80 : -80
        $0.alpha = 0.2
      }
    }
    var total = 0.0
    for _ in 0..<frames {
      time += 1.0 / 60
      let presented = host.frameStatistics.presented
      host.turn(waitUpTo: 0)
      guard host.frameStatistics.presented > presented else { throw BenchmarkError("a frame is missing") }
      total += host.frameStatistics.lastMilliseconds
    }
    return total / Double(frames)
  }
}
