import VitrineConcurrency

/// A source of activity to which an indicator can be bound, for example an `ImageTask`, an image slot, the network, or
/// work of the application.
@MainActor
public protocol ActivitySource: AnyObject {
  /// The current activity.
  var activity: Activity { get }

  /// Calls `change` on the main actor after each change, until the returned observation is released.
  func observeActivity(_ change: @escaping @MainActor () -> Void) -> ActivityObservation
}

/// The state of an activity.
public nonisolated enum Activity: Hashable, Sendable {
  /// Running; `progress` is a fraction from 0 to 1, or `nil` while unknown.
  case running(progress: Double?)
  /// Suspended or not yet started.
  case paused
  /// Finished, successfully or not.
  case ended(success: Bool)

  /// True while the activity is running.
  public var isRunning: Bool { if case .running = self { true } else { false } }
}

/// The observation of an `ActivitySource`. Releasing the observation ends it.
@MainActor
public final class ActivityObservation {
  private let end: () -> Void

  /// Creates an observation.
  ///
  /// - Parameter end: Called on the main actor when the observation is released. It should remove the observer.
  public init(end: @escaping () -> Void) { self.end = end }

  isolated deinit { end() }
}

/// A list of observers, for the implementation of an `ActivitySource`.
///
/// ```swift
/// final class Import: ActivitySource {
///   private let observers = ActivityObservers()
///   var activity = Activity.paused { didSet { observers.notify() } }
///   func observeActivity(_ change: @escaping @MainActor () -> Void) -> ActivityObservation { observers.add(change) }
/// }
/// ```
public final class ActivityObservers {
  private var observers = ObserverList<() -> Void>()

  /// Creates an empty list.
  public init() {}

  /// True if there are no observers.
  public var isEmpty: Bool { observers.isEmpty }

  /// Adds an observer, which is called until the returned observation is released.
  public func add(_ change: @escaping @MainActor () -> Void) -> ActivityObservation {
    let number = observers.add(change)
    return ActivityObservation { [weak self] in self?.observers.remove(number) }
  }

  /// Calls all observers in the order in which they were added, except those whose observation an earlier observer has
  /// released.
  public func notify() { for entry in observers.entries { observers[entry.number]?() } }
}

/// The connection of an indicator to an activity source. The indicator retains the binding; the source is not retained.
final class ActivityBinding {
  private var observation: ActivityObservation?

  /// Applies the current activity and each change from now on.
  init(to source: any ActivitySource, apply: @escaping (Activity) -> Void) {
    apply(source.activity)
    // A source may call an observer once more after its observation was released.
    observation = source.observeActivity { [weak self, weak source] in
      if self != nil, let source { apply(source.activity) }
    }
  }
}
