import VitrineLoading
import VitrineWidgets

/// The visibility of a slot's view, which decides the priority of the slot's request.
///
/// Images that can be seen load before images of the rows around the screen, however many of these are requested while
/// the list scrolls; of these rows, those that come into view load before those that have left it.
enum SlotVisibility {
  /// The view is on the screen, or in no window.
  case visible
  /// The view is in a window, but outside the visible part.
  case offScreen
  /// The view has been scrolled off the screen.
  case left

  /// A view that is in no window counts as visible: a cell requests its image before it is inserted into its list.
  init(of view: View?) {
    self = view?.window == nil || view?.isOnScreen == true ? .visible : .offScreen
  }

  /// Returns the priority of a request whose caller has asked for `own`: the same, or a lower one.
  func priority(for own: ImageRequest.Priority) -> ImageRequest.Priority {
    let step =
      switch self {
      case .visible: 0
      case .offScreen: 1
      case .left: 2
      }
    return ImageRequest.Priority(rawValue: own.rawValue - step) ?? .veryLow
  }
}
