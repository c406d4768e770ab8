import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// Indicators bound to a source that can be paused, unlike a download.
@Suite("Binding to a source")
struct ActivityBindingTests {
  private final class Source: ActivitySource {
    let observers = ActivityObservers()
    var activity = Activity.paused { didSet { observers.notify() } }
    func observeActivity(_ change: @escaping @MainActor () -> Void) -> ActivityObservation {
      observers.add(change)
    }
  }

  private let source = Source()

  @Test(
    "AF-A1 AF-A2 AF-A3 a released indicator is not notified when its source runs, pauses or ends",
    arguments: [Activity.running(progress: nil), .ended(success: true), .paused])
  func releasedIndicatorIsNotNotified(activity: Activity) {
    weak var weakIndicator: ActivityIndicator?
    do {
      let indicator = ActivityIndicator()
      source.activity = activity == .paused ? .running(progress: nil) : .paused
      indicator.setAnimating(withStateOf: source)
      weakIndicator = indicator
    }
    #expect(weakIndicator == nil)

    source.activity = activity

    #expect(source.observers.isEmpty)
  }

  @Test(
    "AF-A4 AF-A5 AF-A6 a released refresh control is not notified when its source runs, pauses or ends",
    arguments: [Activity.running(progress: nil), .ended(success: true), .paused])
  func releasedRefreshControlIsNotNotified(activity: Activity) {
    weak var weakControl: RefreshControl?
    do {
      let control = RefreshControl()
      source.activity = activity == .paused ? .running(progress: nil) : .paused
      control.setRefreshing(withStateOf: source)
      weakControl = control
    }
    #expect(weakControl == nil)

    source.activity = activity

    #expect(source.observers.isEmpty)
  }

  @Test func bindingReplacedDuringAChangeIsNotNotified() {
    let indicator = ActivityIndicator()
    let other = Source()
    let early = source.observeActivity { indicator.setAnimating(withStateOf: other) }
    indicator.setAnimating(withStateOf: source)

    source.activity = .running(progress: nil)

    #expect(!indicator.isAnimating)
    withExtendedLifetime(early) {}
  }

  @Test func observerReleasedDuringAChangeIsNotNotified() {
    var later: ActivityObservation?
    var changes = 0
    let early = source.observeActivity { later = nil }
    later = source.observeActivity { changes += 1 }

    source.activity = .running(progress: nil)

    #expect(changes == 0)
    withExtendedLifetime((early, later)) {}
  }

  @Test(
    "AF-A15 an indicator spins while its source runs, stops when the source pauses or ends, and nil unbinds")
  func indicatorFollowsItsSource() {
    let indicator = ActivityIndicator()
    indicator.setAnimating(withStateOf: source)
    #expect(!indicator.isAnimating)
    source.activity = .running(progress: nil)
    #expect(indicator.isAnimating)
    source.activity = .paused
    #expect(!indicator.isAnimating)
    source.activity = .running(progress: 0.5)
    #expect(indicator.isAnimating)
    source.activity = .ended(success: false)
    #expect(!indicator.isAnimating)

    source.activity = .running(progress: nil)
    indicator.setAnimating(withStateOf: nil)
    source.activity = .paused

    #expect(indicator.isAnimating)
    #expect(source.observers.isEmpty)
  }

  @Test func refreshControlFollowsItsSource() {
    let control = RefreshControl()
    control.setRefreshing(withStateOf: source)
    #expect(!control.isRefreshing)
    source.activity = .running(progress: nil)
    #expect(control.isRefreshing)
    source.activity = .ended(success: true)

    #expect(!control.isRefreshing)
  }

  @Test func refreshControlEndsForASourceThatHasEnded() {
    let control = RefreshControl()
    control.beginRefreshing()
    source.activity = .ended(success: true)

    control.setRefreshing(withStateOf: source)

    #expect(!control.isRefreshing)
  }

  @Test("AF-A16 progress follows a source of known length, stays while the length is unknown, and ends at 1")
  func progressFollowsItsSource() {
    let view = ProgressView()
    view.progress = 0.1
    view.setProgress(withProgressOf: source)
    #expect(view.progress == 0.1)
    source.activity = .running(progress: nil)
    #expect(view.progress == 0.1)
    #expect(view.isIndeterminate)
    source.activity = .running(progress: 0.4)
    #expect(view.progress == 0.4)
    #expect(!view.isIndeterminate)
    source.activity = .ended(success: true)
    #expect(view.progress == 1)
  }

  @Test func failureKeepsTheProgress() {
    let view = ProgressView()
    view.setProgress(withProgressOf: source, animated: false)
    source.activity = .running(progress: 0.4)
    source.activity = .ended(success: false)
    #expect(view.progress == 0.4)

    source.activity = .running(progress: nil)
    source.activity = .ended(success: false)

    #expect(!view.isIndeterminate)
  }

  @Test func secondSourceReplacesTheFirst() {
    let indicator = ActivityIndicator()
    let other = Source()
    indicator.setAnimating(withStateOf: source)

    indicator.setAnimating(withStateOf: other)
    source.activity = .running(progress: nil)

    #expect(!indicator.isAnimating)
    #expect(source.observers.isEmpty)
  }

  @Test func observerReleasedByAnEarlierObserverIsNotCalled() {
    var calls = 0
    var second: ActivityObservation?
    let first = source.observers.add { second = nil }
    second = source.observers.add { calls += 1 }
    #expect(second != nil)
    withExtendedLifetime(first) { source.activity = .ended(success: true) }

    #expect(calls == 0)
  }

  @Test func indicatorDoesNotRetainItsSource() {
    let indicator = ActivityIndicator()
    weak var weakSource: Source?
    do {
      let source = Source()
      indicator.setAnimating(withStateOf: source)
      weakSource = source
    }

    #expect(weakSource == nil)
    indicator.setAnimating(withStateOf: nil)
  }
}
