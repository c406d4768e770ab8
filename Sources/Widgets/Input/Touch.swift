public import VitrineGraphics

/// A finger on the screen, or the mouse with its button down, from beginning to end.
public final class Touch {
  /// Tells fingers apart while they are down; `InputEvent.mouse` for the mouse. Used again afterwards.
  public let id: Int64
  /// Where it is in its life, as of the last event.
  public internal(set) var phase: TouchPhase = .began
  /// Now, in window points.
  public internal(set) var location: Point
  /// At the event before this one.
  public internal(set) var previousLocation: Point
  /// Where it began.
  public let startLocation: Point
  /// Window time of the event, in seconds.
  public internal(set) var time: Double
  /// Window time at which it began, in seconds.
  public let startTime: Double
  /// 1 for a touch that stands alone, 2 for the second tap of a double tap, and so on; see `Window.tapInterval`.
  public internal(set) var tapCount = 1
  /// The view that was hit and hears of it; nil once a view that watched has claimed it.
  public internal(set) weak var view: View?
  /// Views around the one that was hit which watch it, innermost first.
  var observers: [View] {
    get { weakObservers.compactMap(\.view) }
    set { weakObservers = newValue.map(WeakView.init) }
  }
  /// Weak as `view` is: views keep the touch that they follow, and a window may go while it lasts.
  private var weakObservers: [WeakView] = []
  /// Whether the view has heard of the beginning.
  var isDelivered = false
  /// There while the view is yet to hear of the beginning, or of the end.
  var hold: TouchHold?

  init(id: Int64, location: Point, time: Double) {
    self.id = id
    self.location = location
    previousLocation = location
    startLocation = location
    self.time = time
    startTime = time
  }

  func isObserved(by view: View) -> Bool { observers.contains { $0 === view } }

  /// Now, in a view's own coordinates.
  public func location(in view: View) -> Point { view.convertFromWindow(location) }
}

private struct WeakView {
  weak var view: View?
}
