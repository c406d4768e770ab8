import VitrineGraphics

/// Decides which slide is shown, which one is prepared, and when the next one is due.
///
/// A pure value. The caller passes inputs with the time in seconds, then performs `nextAction(at:)` until there is none,
/// and reports the result of each load. Slides are indices.
nonisolated struct SlideshowPlan {
  enum Action: Hashable {
    /// Load a slide, in place of the slide that is loading or ready.
    case load(Int)
    /// Drop the slide that is loading or ready.
    case drop
    /// Show the slide that is ready.
    case show(Int)
    /// Show no slide.
    case clear
  }

  /// The reasons for which the time stands still.
  struct Pause: OptionSet, Hashable {
    let rawValue: Int
    static let user = Pause(rawValue: 1)
    static let touch = Pause(rawValue: 2)
    static let offScreen = Pause(rawValue: 4)
  }

  private enum Preparation: Hashable {
    case none
    /// Chosen, and to be loaded.
    case chosen(Int)
    case loading(Int)
    case ready(Int)

    var slide: Int? {
      switch self {
      case .none: nil
      case .chosen(let slide), .loading(let slide), .ready(let slide): slide
      }
    }
  }

  /// The number of seconds for which a slide is shown between two transitions.
  var secondsPerImage = 10.0
  /// The number of seconds of a transition.
  var transitionSeconds = 0.0
  private(set) var count = 0
  /// The shown slide; `nil` if there is none, or if it is no longer in the list.
  private(set) var shown: Int?
  /// True while a slide is shown, also one that is no longer in the list.
  private(set) var showsSlide = false
  private(set) var pauses: Pause = []
  private var preparation = Preparation.none
  /// The step that the preparation is for.
  private var step = SlideStep.next
  /// True if the prepared slide is shown as soon as it is ready.
  private var isUrgent = false
  /// True if the caller has a slide that is no longer wanted.
  private var hasObsoleteSlide = false
  /// True if the caller shows a slide that is no longer to be shown.
  private var showsObsoleteSlide = false
  /// The time before which no slide is available; `nil` if unknown.
  private var waitEnd: Double?
  private var clock = SlideClock(at: 0, isRunning: false)
  private var failures = SlideFailures()
  private var sequence: any SlideSequence = ListSequence(count: 0)

  /// The slide that is loading; `nil` if there is none.
  var loading: Int? { if case .loading(let slide) = preparation { slide } else { nil } }
  /// True if the next slide is ready to be shown.
  var isReady: Bool { if case .ready = preparation { true } else { false } }

  private var interval: Double { max(0, secondsPerImage) + max(0, transitionSeconds) }

  // MARK: Slides

  /// Begins another order. The shown slide stays.
  mutating func setSequence(_ sequence: any SlideSequence, count: Int) {
    self.sequence = sequence
    self.count = count
    if let shown { self.sequence.didShow(shown, by: .next) }
    prepare(nil)
  }

  /// Takes over other slides. The shown slide stays until the next change, also if it is not in the new list.
  ///
  /// - Parameter weight: Returns the weight of a slide of the new list.
  mutating func apply(_ changes: ListChanges, weight: (Int) -> Double) {
    count = changes.newCount
    shown = shown.flatMap(changes.newRow)
    sequence.apply(changes, weight: weight)
    failures.apply(changes)
    waitEnd = nil
    switch preparation {
    case .none: break
    case .chosen(let slide): preparation = changes.newRow(of: slide).map { .chosen($0) } ?? .none
    case .loading(let slide): keep(changes.newRow(of: slide).map { .loading($0) })
    case .ready(let slide): keep(changes.newRow(of: slide).map { .ready($0) })
    }
  }

  private mutating func keep(_ preparation: Preparation?) {
    if let preparation { self.preparation = preparation } else { prepare(nil) }
  }

  /// Loads the prepared slide again, for another size.
  mutating func prepareAgain() { if let slide = preparation.slide { prepare(slide) } }

  /// Loads the shown slide again and shows none until then; without one, loads the prepared slide again.
  mutating func reload(at now: Double) {
    let slide = shown ?? preparation.slide
    if showsSlide {
      step = .next
      hide(at: now)
    }
    prepare(slide)
  }

  private mutating func hide(at now: Double) {
    (shown, showsSlide, isUrgent) = (nil, false, false)
    showsObsoleteSlide = true
    clock = SlideClock(at: now, isRunning: false)
  }

  private mutating func prepare(_ slide: Int?) {
    switch preparation {
    case .loading, .ready: hasObsoleteSlide = true
    case .none, .chosen: break
    }
    preparation = slide.map { .chosen($0) } ?? .none
    waitEnd = nil
  }

  // MARK: Results

  mutating func didLoad() {
    guard case .loading(let slide) = preparation else { return }
    failures.remove(slide)
    preparation = .ready(slide)
  }

  mutating func didFail(at now: Double) {
    guard case .loading(let slide) = preparation else { return }
    failures.record(slide, at: now)
    preparation = .none
    waitEnd = nil
    // A step back that fails shows nothing instead.
    if step == .previous { (step, isUrgent) = (.next, false) }
  }

  /// Tries failed slides again now, because the network is back.
  mutating func retryFailures(at now: Double) {
    failures.retryAll(at: now)
    waitEnd = nil
  }

  // MARK: Steps and pauses

  /// Shows the next slide now, or as soon as it is ready.
  mutating func showNext() {
    guard count > 1 || !showsSlide else { return }
    if step == .previous { prepare(nil) }
    (step, isUrgent) = (.next, true)
  }

  /// Shows the previous slide as soon as it is ready. Does nothing if there is none.
  mutating func showPrevious(at now: Double) {
    guard showsSlide, let slide = candidate(for: .previous, at: now) else { return }
    if step != .previous || preparation.slide != slide { prepare(slide) }
    (step, isUrgent) = (.previous, true)
  }

  mutating func setPaused(_ isPaused: Bool, _ reason: Pause, at now: Double) {
    if isPaused { pauses.insert(reason) } else { pauses.remove(reason) }
    clock.setRunning(pauses.isEmpty && showsSlide, at: now)
  }

  // MARK: Actions

  /// Returns the next action; `nil` until there is another input, or until `deadline`.
  mutating func nextAction(at now: Double) -> Action? {
    if count == 0, showsSlide { hide(at: now) }
    if showsObsoleteSlide {
      showsObsoleteSlide = false
      return .clear
    }
    if case .ready(let slide) = preparation, isDue(at: now) {
      show(slide, at: now)
      return .show(slide)
    }
    if preparation == .none { choose(at: now) }
    if case .chosen(let slide) = preparation {
      (preparation, hasObsoleteSlide) = (.loading(slide), false)
      return .load(slide)
    }
    guard hasObsoleteSlide else { return nil }
    hasObsoleteSlide = false
    return .drop
  }

  private mutating func show(_ slide: Int, at now: Double) {
    (shown, showsSlide, preparation) = (slide, true, .none)
    sequence.didShow(slide, by: step)
    (step, isUrgent, waitEnd) = (.next, false, nil)
    clock = SlideClock(at: now, isRunning: pauses.isEmpty)
  }

  /// The tolerance corrects rounding errors in the difference of two times.
  private func isDue(at now: Double) -> Bool {
    guard !pauses.contains(.offScreen) else { return false }
    return !showsSlide || isUrgent || pauses.isEmpty && clock.elapsed(at: now) >= interval - 1e-6
  }

  private mutating func choose(at now: Double) {
    guard count > 0, !pauses.contains(.offScreen), failures.pauseEnd <= now else { return }
    if let waitEnd, waitEnd > now { return }
    if let slide = candidate(for: .next, at: now) {
      preparation = .chosen(slide)
    } else {
      // At least a second later, because a failed slide need not be in the order any more.
      waitEnd = failures.nextRetry.map { max($0, now + 1) } ?? .infinity
    }
  }

  private mutating func candidate(for step: SlideStep, at now: Double) -> Int? {
    guard count > 0 else { return nil }
    let (shown, failures) = (shown, failures)
    return sequence.candidate(for: step) { $0 != shown && failures.isAvailable($0, at: now) }
  }

  /// The time at which `nextAction(at:)` has to be called again without another input; `nil` if there is none.
  var deadline: Double? {
    guard !pauses.contains(.offScreen) else { return nil }
    switch preparation {
    case .chosen, .loading: return nil
    case .ready: return pauses.isEmpty ? clock.time(of: interval) : nil
    case .none:
      guard count > 0 else { return nil }
      let time = max(failures.pauseEnd, waitEnd ?? -.infinity)
      return time.isFinite ? time : nil
    }
  }
}
