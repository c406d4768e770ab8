public import VitrineGraphics

/// A finger on the screen, or the mouse with its button pressed, from beginning to end.
public final class Touch {
  /// The identifier of the finger while it is down, reused afterwards; `InputEvent.mouse` for the mouse.
  public let id: Int64
  /// The phase as of the last event.
  public internal(set) var phase: TouchPhase = .began
  /// The current location in window points.
  public internal(set) var location: Point
  /// The location at the previous event, in window points.
  public internal(set) var previousLocation: Point
  /// The location at which the touch began, in window points.
  public let startLocation: Point
  /// The window time of the last event, in seconds.
  public internal(set) var time: Double
  /// The window time at which the touch began, in seconds.
  public let startTime: Double
  /// The number of consecutive taps: 1 for a single tap, 2 for the second tap of a double tap, and so on. A tap
  /// counts as a repetition if it begins within 0.35 s and 30 points of the end of the previous tap.
  public internal(set) var tapCount = 1
  /// The view that was hit and receives the touch; `nil` once an observing view has claimed the touch.
  public internal(set) weak var view: View?
  /// The superviews of the hit view that observe the touch, innermost first.
  var observers: [View] {
    get { weakObservers.compactMap(\.view) }
    set { weakObservers = newValue.map(WeakView.init) }
  }
  /// Weak like `view`, because views retain the touch that they track, and a window may be released during a touch.
  private var weakObservers: [WeakView] = []
  /// True once the view has received the beginning of the touch.
  var isDelivered = false
  /// The delay of the touch's beginning or end; `nil` while the touch is not delayed.
  var delay: TouchDelay?

  init(id: Int64, location: Point, time: Double) {
    self.id = id
    self.location = location
    previousLocation = location
    startLocation = location
    self.time = time
    startTime = time
  }

  func isObserved(by view: View) -> Bool { observers.contains { $0 === view } }

  /// Returns the current location in the coordinates of a view.
  public func location(in view: View) -> Point { view.convertFromWindow(location) }
}

private struct WeakView { weak var view: View? }
