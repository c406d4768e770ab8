import Dispatch
import Vitrine

/// The running demo: its feed, its screens and the actions that the command line asks for.
final class Demo: ScriptStage {
  /// The maximum number of events that `--trace` keeps, enough for about 100,000 images.
  nonisolated static let longTrace = 1_000_000

  private let application: Application
  private let options: Options
  /// The options of a slideshow; `nil` for the other screens.
  private let slideshow: SlideshowOptions?
  private let gallery: Gallery
  private let feed: Feed
  /// Loads the images of the next rows. `nil` in a run with a script, or one that ends when idle: only shown images are
  /// then loaded, so that the statistics do not depend on timing.
  private let prefetcher: ImagePrefetcher?
  private let logMessage: (String) -> Void
  private let failure: Image?
  private let statistics: Statistics
  private var root: RootView?
  private var header: Header?
  private var screens: [String: any Screen] = [:]
  private var script: ScriptPlayer?
  private var ageTimer: WindowTimer?
  /// The image over the whole window; `nil` if there is none.
  private var viewer: ImageViewer?
  private var isDone = false
  /// True if a script controls the time. The time of day then stands still, and no processor time is shown, so that
  /// screenshots are equal in each run.
  private var isClockManual = false
  private static let manualTime = ClockTime(hour: 10, minute: 9)
  /// The time by which the script begins even if no frame has been drawn, in seconds since the start of the process.
  private var scriptDeadline = 0.0
  /// The time at which `--exit-after` ends the program, in seconds since the start of the process.
  private var end = Double.infinity
  /// The problem that ends the program with exit code 1, in one line for standard error; `nil` if there is none.
  private(set) var problem: String?

  var window: Window { application.window }

  init(
    application: Application, options: Options, slideshow: SlideshowOptions? = nil, gallery: Gallery,
    feed: Feed, script: Script?, assets: String, logMessage: @escaping (String) -> Void
  ) {
    self.application = application
    self.options = options
    self.slideshow = slideshow
    self.gallery = gallery
    self.logMessage = logMessage
    self.feed = feed
    prefetcher =
      script == nil && !options.endsWhenIdle ? ImagePrefetcher(downloader: application.downloader) : nil
    statistics = Statistics()
    failure = try? AssetImage.load(
      contentsOf: assets + "/ui/failure.png", pixelFormat: application.host.pixelFormat)
    self.script = script.map { ScriptPlayer($0, stage: self) }
    View.slotObserver = statistics
    build()
    statistics.onRecover = { [unowned self] response in
      for image in images { image.didRecover(response) }
    }
    statistics.onRefreshFailure = { [unowned self] shown, error in
      for image in images { image.didFailToRefresh(shown, because: error) }
    }
    begin()
  }

  // MARK: Feed

  /// Requests the list of a feed on the network. A feed on this machine has its items already.
  private func begin() {
    feed.onUpdate = { [unowned self] changes in
      for screen in imageScreens { screen.show(feed.items, changes) }
      viewer?.show(feed.items, changes)
      slideshowScreen?.show(feed.items, changes)
    }
    feed.onChange = { [unowned self] in if $0 == .state { feedStateDidChange() } }
    HangupSignal.watch { [weak self] in self?.receive($0) }
    // The window counts as loading until the list has arrived or is known not to arrive.
    if feed.state == .loading { root?.beginLoading() }
    feed.startUpdates(every: options.refresh * 60)
  }

  private func receive(_ hangup: HangupSignal.Meaning) {
    switch hangup {
    case .reload: feed.reload()
    case .quit: application.quit()
    case .nothing: break
    }
  }

  private func feedStateDidChange() {
    updateFeedTexts()
    if feed.state != .loading, let root, root.isLoading { root.endLoading() }
    statistics.onChange?()
    switch feed.state {
    case .loading, .loaded, .stale: break
    // The message is printed once. A run that ends when idle prints it at its end.
    case .waiting(let error): if !endsWhenIdle, script == nil { logMessage("\(error); trying again") }
    case .failed(let error):
      problem = problem ?? "\(error)"
      isDone = true
      application.quit()
    }
  }

  private func updateFeedTexts() {
    homeScreen?.feedText = feedText.text
    slideshowScreen?.feedText = feedText.text
  }

  /// Updates the status line each minute while it shows an age, and never otherwise.
  private func updateAges(_ showsAge: Bool) {
    guard showsAge != (ageTimer != nil) else { return }
    ageTimer?.cancel()
    ageTimer = showsAge ? window.every(60) { [unowned self] in statistics.onChange?() } : nil
  }

  private var imageScreens: [any ImageScreen] { screens.values.compactMap { $0 as? any ImageScreen } }
  private var images: [any FeedImage] { imageScreens.flatMap(\.images) }
  private var homeScreen: HomeScreen? { screens["home"] as? HomeScreen }
  private var slideshowScreen: SlideshowScreen? { screens[SlideshowOptions.word] as? SlideshowScreen }

  /// The reason why the list of the feed has not arrived, reported by runs that end when idle or at the end of a
  /// script; `nil` if there is none.
  private var missingFeed: String? {
    if case .waiting(let error) = feed.state { "\(error)" } else { nil }
  }

  // MARK: Views

  private func build() {
    let root = RootView(
      header: options.chrome ? makeHeader() : nil, screen: screen(options.screen),
      status: options.chrome ? makeStatus() : nil)
    window.backgroundColor = Theme.background
    window.rootView = root
    window.unhandledKey = { [unowned self, unowned root] key, modifiers in
      if key == .function(1) {
        root.window?.showsDiagnostics.toggle()
        return true
      }
      if key == .function(2) {
        toggleOffline()
        return true
      }
      if key == .function(5) {
        root.screen.refresh()
        return true
      }
      return (root.screen as? any ScrollingScreen)?.scrollView.keyDown(key, modifiers: modifiers) ?? false
    }
    window.showsDiagnostics = options.overlay
    self.root = root
  }

  private func makeHeader() -> Header {
    let header = Header(
      screens: Options.screens.map(\.title),
      onScreen: { [unowned self] in self.show(screen: Options.screens[$0].name) },
      onServerMode: options.feed == nil ? { [unowned self] in self.gallery.serverMode = $0 } : nil,
      onClear: { [unowned self] in self.clearCache() })
    header.choose(screen: Options.screens.firstIndex { $0.name == options.screen } ?? 0)
    self.header = header
    return header
  }

  private func makeStatus() -> StatusLine {
    let status = StatusLine { [unowned self] in
      let status = self.status
      updateAges(status.showsAge)
      return status.texts
    }
    statistics.onChange = { [weak status] in status?.scheduleUpdate() }
    return status
  }

  private func screen(_ name: String) -> any Screen {
    if let screen = screens[name] { return screen }
    if let slideshow, name == SlideshowOptions.word { return makeSlideshow(slideshow) }
    let screen: any Screen =
      switch name {
      case "home": makeHome()
      case "grid":
        GridScreen(
          items: feed.items, tile: options.tile, gap: options.gap, failure: failure, prefetcher: prefetcher)
      case "indicators":
        IndicatorsScreen(gallery: gallery, failure: failure, downloader: application.downloader)
      case "buttons": ButtonsScreen(gallery: gallery, failure: failure)
      case "transitions":
        TransitionsScreen(
          gallery: gallery, failure: failure, hasDisk: application.downloader.dataCache != nil)
      case "animations": AnimationsScreen(gallery: gallery, failure: failure)
      default: ListScreen(items: feed.items, failure: failure, prefetcher: prefetcher)
      }
    (screen as? FeedScreen)?.onRefresh = { [unowned self] in self.feed.reload() }
    if let screen = screen as? any ImageScreen {
      screen.onOpen = { [unowned self, unowned screen] row in open(row, of: screen) }
    }
    screens[name] = screen
    return screen
  }

  /// Shows an image over the whole window.
  private func open(_ row: Int, of screen: any ImageScreen) {
    guard viewer == nil else { return }
    screen.viewerDidChange(isOpen: true)
    let viewer = ImageViewer(showing: row, of: screen, failure: failure, in: window)
    viewer.onClose = { [unowned self, weak screen] in
      self.viewer = nil
      screen?.viewerDidChange(isOpen: false)
      root?.isUserInteractionEnabled = true
    }
    // Tab must not reach the views behind.
    root?.isUserInteractionEnabled = false
    self.viewer = viewer
  }

  private func makeHome() -> HomeScreen {
    let home = HomeScreen(
      items: feed.items, failure: failure,
      time: { [unowned self] in isClockManual ? Self.manualTime : .local },
      readCost: { [unowned self] in isClockManual ? nil : .current })
    home.feedText = feedText.text
    home.onRefresh = { [unowned self] in self.feed.reload() }
    return home
  }

  private func makeSlideshow(_ options: SlideshowOptions) -> SlideshowScreen {
    let screen = SlideshowScreen(items: feed.items, options: options)
    screen.feedText = feedText.text
    screen.onRefresh = { [unowned self] in self.feed.reload() }
    screens[SlideshowOptions.word] = screen
    return screen
  }

  private func clearCache() {
    application.cache.removeAllImages()
    application.downloader.removeAllCachedData(completion: nil)
    root?.screen.reload()
  }

  private func toggleOffline() {
    application.downloader.isOffline.toggle()
    updateFeedTexts()
    statistics.onChange?()
  }

  private var feedText: FeedText {
    FeedText(
      name: feed.name, state: feed.state, age: feed.age.map { StoredAge(seconds: $0) },
      isOffline: application.downloader.isOffline)
  }

  /// The status line: the images of the feed on the screen, or on another screen all images since the start, but the
  /// failures on the screen.
  private var status: StatusText {
    let isOffline = application.downloader.isOffline
    let list = feedText
    var status = StatusText(
      feed: list.text, isOffline: isOffline, isListStale: list.isStale, bySource: statistics.bySource,
      failed: root.map { FailedImages.count(in: $0.screen) } ?? 0,
      cacheBytes: application.cache.usage, textureBytes: application.host.textureBytes)
    if let images = (root?.screen as? any ImageScreen)?.visibleImages {
      let origins = images.map(\.origin)
      status.bySource = Dictionary(origins.compactMap(\.source).map { ($0, 1) }, uniquingKeysWith: +)
      status.stale = Dictionary(origins.compactMap(\.staleReason).map { ($0, 1) }, uniquingKeysWith: +)
      status.oldest = origins.filter { $0.staleReason != nil }.compactMap(\.age).max()
      status.oldestFresh = origins.filter { $0.staleReason == nil }.compactMap(\.age).max()
      status.failed = images.count { $0.isFailed }
    }
    return status
  }

  // MARK: Running

  /// Runs until the window is closed, the script ends or `--exit-after` has passed. Returns the exit code.
  func run() -> Int32 {
    _ = application.host.addTurnObserver { [unowned self] in self.turnDidEnd() }
    if let seconds = options.exitAfter {
      end = realTime + seconds
      wake(after: seconds)
    }
    script?.begin()
    if script != nil, feed.state == .loading {
      scriptDeadline = realTime + 1
      wake(after: 1)
    }
    application.run()
    problem = problem ?? application.host.failure.map { "\($0)" }
    if problem == nil, !isDone, let file = options.screenshot {
      problem = "stopped before \(file) was written"
    }
    if let file = options.stats {
      do {
        try statistics.report(of: application).write(to: file)
      } catch {
        problem = problem ?? "cannot write \(file)"
      }
    }
    if let file = options.trace {
      do {
        try ChromeTrace(application.host.trace).write(to: file)
      } catch {
        problem = problem ?? "cannot write \(file)"
      }
    }
    return problem == nil ? 0 : 1
  }

  private func turnDidEnd() {
    statistics.observe(application.host)
    if canAdvanceScript { script?.advance() }
    // A script may be followed by a screenshot, and by the wait for an idle window.
    if script?.isFinished != false, endsWhenIdle, !isDone {
      if script?.isIdle() ?? window.isIdle {
        statistics.observe(application.host)
        if let file = options.screenshot { problem = problem ?? saveScreenshot(to: file) }
        problem = problem ?? missingFeed
        if options.dumpsTree { print(window.accessibilityNode.text) }
        isDone = true
      }
    }
    if isDone { return application.quit() }
    if let seconds = options.exitAfter, realTime >= end { timeLimitDidPass(after: seconds) }
  }

  private var endsWhenIdle: Bool { options.endsWhenIdle }

  /// False until the first frame is drawn, which may wait a moment for the list of a feed. A window that is hidden by
  /// the system does not keep the script waiting.
  private var canAdvanceScript: Bool {
    application.host.frameStatistics.presented > 0 || realTime >= scriptDeadline
  }

  /// Ends the program because `--exit-after` has passed. An unfinished script, screenshot or tree is a failure;
  /// otherwise a check would pass by being late.
  private func timeLimitDidPass(after seconds: Double) {
    if let line = script?.line {
      problem = "line \(line): the script is not over after \(seconds) seconds"
    } else if let file = options.screenshot {
      problem = "not idle after \(seconds) seconds: \(file) is not written"
    } else if options.dumpsTree {
      problem = "not idle after \(seconds) seconds: the tree is not printed"
    }
    application.quit()
  }

  // MARK: ScriptStage

  var isQuitting: Bool { application.host.isQuitting }
  var isLoadedThroughout: Bool {
    func isLoading(_ view: View) -> Bool { view.isLoading || view.subviews.contains(where: isLoading) }
    // The next image is loaded as well, so that a script with a manual clock does not depend on the time that takes.
    return root?.isLoading == false && !screens.values.contains(where: isLoading)
      && slideshowScreen?.slideshow.isPreparing != true && homeScreen?.slideshow.isPreparing != true
  }
  var realTime: Double { Process.milliseconds / 1000 }

  func wake(after seconds: Double) {
    // An empty task on the main queue causes a turn of the loop. It runs 1 ms late, because a turn just before the
    // deadline would have no effect.
    DispatchQueue.main.asyncAfter(deadline: .now() + min(1e6, seconds) + 0.001) {}
  }

  func scriptDidWait() { statistics.observe(application.host) }
  func stopClock() -> ManualTime {
    isClockManual = true
    homeScreen?.updateReadings()
    return ManualTime(of: application)
  }

  func inject(_ event: InputEvent) { application.host.inject(event) }
  func inject(gamepad input: GamepadInput) { application.host.inject(gamepad: input) }

  func show(screen name: String) {
    header?.choose(screen: Options.screens.firstIndex { $0.name == name } ?? 0)
    root?.show(screen(name))
  }

  func saveScreenshot(to file: String) -> String? {
    do {
      try application.host.screenshot().write(to: file)
      return nil
    } catch {
      return "\(error)"
    }
  }

  func scriptDidEnd() {
    problem = script?.failure ?? missingFeed
    if problem != nil || !endsWhenIdle { isDone = true }
  }
}
