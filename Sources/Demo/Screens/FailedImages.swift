import Vitrine

/// The images that have failed and have not been loaded since. An image that is requested again counts once, and no
/// longer when it arrives.
enum FailedImages {
  /// Returns the number of failed images of a view and all views below it.
  static func count(in view: View) -> Int {
    view.subviews.reduce(own(of: view)) { $0 + count(in: $1) }
  }

  private static func own(of view: View) -> Int {
    var activities: [any ActivitySource] = view.imageURL == nil ? [] : [view.imageActivity]
    if let button = view as? Button {
      for state in states {
        if button.imageURL(for: state) != nil { activities.append(button.imageActivity(for: state)) }
        if button.backgroundImageURL(for: state) != nil {
          activities.append(button.backgroundImageActivity(for: state))
        }
      }
    }
    // A view without a slot may load its image with a task of its own.
    if activities.isEmpty, let view = view as? any LoadingByTask, view.hasFailed { return 1 }
    return activities.count { $0.activity == .ended(success: false) }
  }

  /// All combinations of the states of a button.
  private static let states = (0..<16).map { ControlState(rawValue: $0) }
}

/// A view that may load its image with a task, not with its slot.
protocol LoadingByTask: View {
  /// True if the last load of the image has failed.
  var hasFailed: Bool { get }
}
