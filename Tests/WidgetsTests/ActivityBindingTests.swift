import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// What indicators do with a source that can also be suspended, which a download cannot.
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
    "AF-A1 AF-A2 AF-A3 an indicator that has gone hears nothing of what goes on, is suspended or over",
    arguments: [Activity.running(progress: nil), .ended(success: true), .paused])
  func goneIndicatorHearsNothing(activity: Activity) {
    weak var gone: ActivityIndicator?
    do {
      let indicator = ActivityIndicator()
      source.activity = activity == .paused ? .running(progress: nil) : .paused
      indicator.setAnimating(withStateOf: source)
      gone = indicator
    }
    #expect(gone == nil)

    source.activity = activity

    #expect(source.observers.isEmpty)
  }

  @Test(
    "AF-A4 AF-A5 AF-A6 a refresh control that has gone hears nothing of what goes on, is suspended or over",
    arguments: [Activity.running(progress: nil), .ended(success: true), .paused])
  func goneRefreshControlHearsNothing(activity: Activity) {
    weak var gone: RefreshControl?
    do {
      let control = RefreshControl()
      source.activity = activity == .paused ? .running(progress: nil) : .paused
      control.setRefreshing(withStateOf: source)
      gone = control
    }
    #expect(gone == nil)

    source.activity = activity

    #expect(source.observers.isEmpty)
  }

  @Test func bindingIsOverAsSoonAsItIsReplacedAlsoFromWithinAChange() {
    let indicator = ActivityIndicator()
    let other = Source()
    let early = source.observeActivity { indicator.setAnimating(withStateOf: other) }
    indicator.setAnimating(withStateOf: source)

    source.activity = .running(progress: nil)

    #expect(!indicator.isAnimating)
    withExtendedLifetime(early) {}
  }

  @Test func observerThatIsLetGoWithinAChangeHearsNothingOfIt() {
    var later: ActivityObservation?
    var changes = 0
    let early = source.observeActivity { later = nil }
    later = source.observeActivity { changes += 1 }

    source.activity = .running(progress: nil)

    #expect(changes == 0)
    withExtendedLifetime((early, later)) {}
  }

  @Test(
    "AF-A15 an indicator turns while its source runs, stops when it is suspended or over, and nil unbinds")
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

  @Test func refreshControlEndsForWhatIsOverAlready() {
    let control = RefreshControl()
    control.beginRefreshing()
    source.activity = .ended(success: true)

    control.setRefreshing(withStateOf: source)

    #expect(!control.isRefreshing)
  }

  @Test("AF-A16 progress follows a length that is known, stays while it is not, and ends at 1")
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

  @Test func failureLeavesTheProgressWhereItWas() {
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

  @Test func observerThatOneBeforeItLetsGoIsNotCalled() {
    var calls = 0
    var second: ActivityObservation?
    let first = source.observers.add { second = nil }
    second = source.observers.add { calls += 1 }
    #expect(second != nil)
    withExtendedLifetime(first) { source.activity = .ended(success: true) }

    #expect(calls == 0)
  }

  @Test func sourceMayGoFirst() {
    let indicator = ActivityIndicator()
    weak var gone: Source?
    do {
      let source = Source()
      indicator.setAnimating(withStateOf: source)
      gone = source
    }

    #expect(gone == nil)
    indicator.setAnimating(withStateOf: nil)
  }
}
