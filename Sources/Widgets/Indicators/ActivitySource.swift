/// Something that runs and ends, to which an indicator can be bound: an `ImageTask`, a slot, the network, or what a
/// program does itself.
public protocol ActivitySource: AnyObject {
  /// How it is now.
  var activity: Activity { get }

  /// Calls `change` on the main actor after each change, until what is returned is let go.
  func observeActivity(_ change: @escaping @MainActor () -> Void) -> ActivityObservation
}

/// How something is that takes its time.
public nonisolated enum Activity: Hashable, Sendable {
  /// Under way; from 0 to 1, or nil as long as nobody knows how far.
  case running(progress: Double?)
  /// Not under way, but not over: suspended, or not begun.
  case paused
  /// Over, well or not.
  case ended(success: Bool)

  /// Whether it is under way.
  public var isRunning: Bool { if case .running = self { true } else { false } }
}

/// Keeps an observer of an `ActivitySource` informed as long as it is held.
@MainActor
public final class ActivityObservation {
  private let end: () -> Void

  /// - Parameter end: called on the main actor when the observation is let go; it should forget the observer.
  public init(end: @escaping () -> Void) { self.end = end }

  isolated deinit { end() }
}

/// A list of observers, for whoever is an `ActivitySource`.
///
/// ```swift
/// final class Import: ActivitySource {
///   private let observers = ActivityObservers()
///   var activity = Activity.paused { didSet { observers.notify() } }
///   func observeActivity(_ change: @escaping @MainActor () -> Void) -> ActivityObservation { observers.add(change) }
/// }
/// ```
public final class ActivityObservers {
  private var observers: [(number: Int, change: () -> Void)] = []
  private var lastNumber = 0

  /// Nobody yet.
  public init() {}

  /// Whether nobody observes.
  public var isEmpty: Bool { observers.isEmpty }

  /// Adds an observer, until what is returned is let go.
  public func add(_ change: @escaping @MainActor () -> Void) -> ActivityObservation {
    lastNumber += 1
    let number = lastNumber
    observers.append((number, change))
    return ActivityObservation { [weak self] in self?.observers.removeAll { $0.number == number } }
  }

  /// Calls all of them, in the order in which they came; not those that one before them has let go.
  public func notify() {
    for observer in observers where observers.contains(where: { $0.number == observer.number }) {
      observer.change()
    }
  }
}

/// What ties an indicator to a source. It goes with the indicator; the source does not keep it.
final class ActivityBinding {
  private var observation: ActivityObservation?

  /// Applies what is now, and each change from now on.
  init(to source: any ActivitySource, apply: @escaping (Activity) -> Void) {
    apply(source.activity)
    // A source may call those that were let go just now once more.
    observation = source.observeActivity { [weak self, weak source] in
      if self != nil, let source { apply(source.activity) }
    }
  }
}
