import FoundationEssentials
import VitrineGraphics
import VitrineLoading
import VitrineWidgets

/// A slot for an image from the network: the contents of a view, or the image or background image of a button in one
/// state.
///
/// A slot shows an image from memory at once; otherwise it shows a placeholder and a spinner while the image loads.
/// Only the result of the latest request is shown. The slot is owned by its view and released with it.
final class ImageSlot {
  let target: any SlotTarget
  /// The current load, started or waiting for the view to get a size; `nil` if the slot does not load.
  private var load: SlotLoad?
  /// The latest request that has an image, with this image; `nil` until the current request has its image.
  private var shown: (slotRequest: SlotRequest, image: Image)? {
    didSet { showing = shown.map { Image.Showing($0.image) } }
  }
  /// Keeps `shown.image` in the memory cache when other images are evicted.
  private var showing: Image.Showing?
  /// Detached loads: loads that continue beside a newer load, without being shown.
  private var detachedLoads: [SlotLoad] = []
  /// Completion handlers that have not been called yet although their load has ended.
  private let pending = PendingCompletions()
  /// The current custom presentation (`SlotOptions.showsImage`) and its last image; `nil` if images are shown in
  /// `target`.
  private var customPresentation: (show: @MainActor (View, Image?) -> Void, image: Image?)?
  /// The preview that the slot shows while loading.
  var preview: SlotPreview?
  /// Generation counter, incremented by each new request. Compare it after calling out to detect re-entrancy.
  private var generation = 0
  private var indicator: SlotIndicator?
  /// The observers of `activity`.
  private let observers = ActivityObservers()
  /// The state of the latest load. It is set after all other changes, because an observer may request another image.
  private(set) var activity = Activity.paused {
    didSet { if activity != oldValue { observers.notify() } }
  }
  /// The source and loading time of the shown image, or the failure, for the diagnostic overlay; `nil` while the slot
  /// loads.
  private var report: SlotReport?
  private(set) var url: String?
  /// Sends the request again while the slot shows a retryable failure or a stale image.
  private(set) var recovery: SlotRecovery?

  init(target: any SlotTarget) { self.target = target }

  // The view has been released. Completion handlers are called with `.cancelled`, later.
  isolated deinit {
    load?.cancel()
    for load in detachedLoads { load.cancel() }
  }

  /// True while an image is loading or waits for the view to get a size.
  var isLoading: Bool { load != nil }

  // MARK: Requests

  func setImage(
    from source: (any ImageRequestConvertible)?, additionalIdentifier: String?, placeholder: Image?,
    options: SlotOptions, progress: SlotProgress?, completion: SlotCompletion?
  ) {
    let request: ImageRequest
    do {
      guard let source else { throw ImageError.invalidURL("") }
      request = try source.asImageRequest()
    } catch {
      return refuse(
        error, isNil: source == nil, placeholder: placeholder, options: options, completion: completion)
    }
    var slotRequest = SlotRequest(
      request: request, additionalIdentifier: additionalIdentifier, placeholder: placeholder,
      options: options)
    let listeners = SlotListeners(progress: progress, completion: completion)
    if let load, !load.isGivenUp, load.slotRequest.isSame(as: slotRequest) {
      if load.join(listeners, as: request) { self.request(load) }
      return
    }
    abandonLoad(detaches: !options.cancelsPrevious)
    let generation = generation
    pending.callAll()
    guard generation == self.generation else { return pending.postpone(listeners, .failure(.cancelled)) }
    url = request.url.absoluteString
    // Every other case replaces the preview of the previous load below.
    if !options.setsImage || options.placeholderPolicy == .keepsPrevious { takeBackPreview() }
    guard generation == self.generation else { return pending.postpone(listeners, .failure(.cancelled)) }
    preview = nil
    let image = imageFromMemory(for: &slotRequest)
    guard generation == self.generation else { return pending.postpone(listeners, .failure(.cancelled)) }
    if let image, !slotRequest.requiresRevalidation {
      let handlers = listeners.isEmpty ? nil : SlotHandlers(listeners)
      settle(slotRequest, .success(ImageResponse(image: image, source: .memory)), handlers)
      return
    }
    let new = SlotLoad(slotRequest, listeners)
    setLoad(new)
    if let image { showMeanwhile(image, of: new) } else { showPlaceholder(of: slotRequest) }
    if load === new { start(new) }
  }

  /// Cancels the current load and the detached loads. The image or the placeholder stays; a preview is replaced by what
  /// was shown before. The completion handlers are called with `.cancelled`.
  func cancel() {
    recovery = nil
    cancelDetachedLoads()
    guard let load else { return }
    if !load.slotRequest.hasImage { url = nil }
    abandonLoad()
    let generation = generation
    takeBackPreview()
    if generation == self.generation { endActivity() }
  }

  private func endActivity() {
    if activity.isRunning { activity = .ended(success: false) }
  }

  /// Cancels all loads and shows nothing.
  func clear() {
    abandonLoad()
    url = nil
    shown = nil
    preview = nil
    let generation = generation
    let customPresentation = customPresentation
    self.customPresentation = nil
    target.show(nil, transition: .none)
    if let customPresentation, let view = target.view { customPresentation.show(view, nil) }
    if generation == self.generation { endActivity() }
  }

  /// Shows the failure of a source from which no request can be made.
  ///
  /// - Parameter isNil: True if there is no URL at all. The slot is then cleared regardless of the placeholder policy.
  private func refuse(
    _ error: any Error, isNil: Bool, placeholder: Image?, options: SlotOptions, completion: SlotCompletion?
  ) {
    abandonLoad()
    let generation = generation
    pending.callAll()
    let failure = (error as? ImageError) ?? .invalidURL("")
    pending.postpone(SlotListeners(completion: completion), .failure(failure))
    // A nil URL clears the slot on purpose, so the failure is not logged.
    if !isNil { SlotDiagnostics.reportFailure(failure, of: nil, in: target) }
    guard generation == self.generation else { return }
    url = nil
    shown = nil
    if !options.setsImage {
      takeBackPreview()
    } else if options.placeholderPolicy == .keepsPrevious, !isNil {
      showRefusal(placeholder: placeholder, options: options)
    } else {
      preview = nil
      show(options.placeholderPolicy == .never ? nil : placeholder, by: options, transition: .none)
    }
    ImageSlot.observer?.slotDidSettle(.failure(failure))
    guard generation == self.generation else { return }
    if !isNil { note(.failure(failure), began: nil) }
    activity = .ended(success: false)
  }

  /// Shows the failure image, or else keeps the previous image, as for a response with status 404.
  private func showRefusal(placeholder: Image?, options: SlotOptions) {
    if let failureImage = options.failureImage {
      preview = nil
      show(failureImage, by: options, transition: options.transition)
      return
    }
    let generation = generation
    takeBackPreview()
    if generation == self.generation, shownImage == nil { show(placeholder, by: options, transition: .none) }
  }

  /// Cancels the current load and the detached loads, or, if `detaches` is true, detaches the current load.
  private func abandonLoad(detaches: Bool = false) {
    generation += 1
    let previous = load
    report = nil
    recovery = nil
    setLoad(nil)
    endIndicator(isLoaded: false)
    if detaches {
      if let previous { detach(previous) }
    } else {
      if let previous { cancel(previous) }
      cancelDetachedLoads()
    }
  }

  private func cancelDetachedLoads() {
    for load in detachedLoads { cancel(load) }
    detachedLoads = []
  }

  /// Cancels a load. Its completions are called later, or when the slot begins another load.
  private func cancel(_ load: SlotLoad) {
    pending.add(load.handlers, .failure(.cancelled))
    load.cancel()
  }

  /// Detaches a load: the load continues without being shown. Cancels a load that has not started or that only
  /// refreshes the shown image.
  private func detach(_ load: SlotLoad) {
    if load.task == nil || load.slotRequest.hasImage { cancel(load) } else { detachedLoads.append(load) }
  }

  /// Ends a detached load. If the load has been cancelled meanwhile, a success is reported as cancelled.
  private func finishBeside(_ load: SlotLoad, _ result: SlotResult) {
    let count = detachedLoads.count
    detachedLoads.removeAll { $0 === load }
    load.finish(detachedLoads.count < count ? result : result.asCancelled)
  }

  // MARK: Loading

  private func downloader(for slotRequest: SlotRequest) -> ImageDownloader {
    slotRequest.options.downloader ?? target.view.map { type(of: $0).sharedImageDownloader }
      ?? View.sharedImageDownloader
  }

  /// Returns the image from memory at the currently needed size, or `nil`. Updates the size and the start time of
  /// `slotRequest`. The caller shows the image.
  private func imageFromMemory(for slotRequest: inout SlotRequest) -> Image? {
    slotRequest.size = NeededSize(of: target)
    slotRequest.began = target.view?.window?.now
    let request = slotRequest.sizedRequest
    guard request.cachePolicy != .reload,
      let image = downloader(for: slotRequest).cachedImage(
        for: request, additionalIdentifier: slotRequest.additionalIdentifier),
      // A view that shows images in their natural size needs all pixels, not the largest thumbnail in memory.
      request.hasAllPixels(image) || request.targetSize != nil || !target.contentMode.keepsNaturalSize
        || request.cachePolicy == .cacheOnly
    else { return nil }
    ImageSlot.observer?.slotWillLoad()
    downloader(for: slotRequest).traceServed(request, image)
    return image
  }

  /// Shows an image from memory before the call returns. Returns false if `load` still has to be started.
  private func showFromMemory(_ load: SlotLoad) -> Bool {
    var slotRequest = load.slotRequest
    let image = imageFromMemory(for: &slotRequest)
    guard self.load === load else { return true }
    load.slotRequest = slotRequest
    guard let image else { return false }
    guard !slotRequest.requiresRevalidation else {
      if !slotRequest.hasImage { showMeanwhile(image, of: load) }
      return self.load !== load
    }
    finish(load, .success(ImageResponse(image: image, source: .memory)))
    return true
  }

  /// True if `load` is the current load of the slot.
  func isWaiting(for load: SlotLoad) -> Bool { self.load === load }

  /// The image that the slot shows, in `target` or by a custom presentation.
  var shownImage: Image? { customPresentation.map(\.image) ?? target.image }

  /// Shows an image from memory while the server is asked whether the image has changed.
  private func showMeanwhile(_ image: Image, of load: SlotLoad) {
    load.slotRequest = load.slotRequest.forRefresh
    shown = (load.slotRequest, image)
    if load.slotRequest.options.setsImage {
      show(image, by: load.slotRequest.options, transition: load.slotRequest.options.transition(for: .memory))
    }
  }

  private func showPlaceholder(of slotRequest: SlotRequest) {
    shown = nil
    guard slotRequest.options.setsImage else { return }
    switch slotRequest.options.placeholderPolicy {
    case .whileLoading: show(slotRequest.placeholder, by: slotRequest.options, transition: .none)
    case .onFailure, .never: show(nil, by: slotRequest.options, transition: .none)
    case .keepsPrevious:
      if shownImage == nil { show(slotRequest.placeholder, by: slotRequest.options, transition: .none) }
    }
  }

  /// Shows an image, or nothing, in `target` or by the custom presentation of `options`. The other of the two is
  /// cleared.
  func show(_ image: Image?, by options: SlotOptions, transition: Transition) {
    let generation = generation
    let previous = customPresentation
    customPresentation = options.showsImage.map { ($0, image) }
    if let shows = options.showsImage {
      if previous == nil { target.show(nil, transition: .none) }
      if let view = target.view, generation == self.generation { shows(view, image) }
    } else {
      if let previous, let view = target.view { previous.show(view, nil) }
      if generation == self.generation { target.show(image, transition: transition) }
    }
  }

  private func start(_ load: SlotLoad) {
    guard load.slotRequest.request.targetSize != nil || NeededSize(of: target) != .unknown else {
      activity = .paused
      return
    }
    ImageSlot.observer?.slotWillLoad()
    guard self.load === load, load.task == nil else { return }
    target.view?.pendingSlots += 1
    request(load)
    guard self.load === load else { return }
    startIndicator(for: load)
    activity = .running(progress: nil)
  }

  /// Requests the image from the downloader at the currently needed size and cancels the task of the previous attempt.
  private func request(_ load: SlotLoad) {
    let size = NeededSize(of: target)
    // A load whose view has lost its size keeps the last known size.
    if size != .unknown { load.slotRequest.size = size }
    load.times += 1
    let times = load.times
    load.move(to: SlotVisibility(of: target.view))
    let downloader = downloader(for: load.slotRequest)
    load.slotRequest.clockSteps = downloader.recovery.clockSteps
    let task = downloader.load(
      load.request, additionalIdentifier: load.slotRequest.additionalIdentifier,
      completion: { [weak self] result in
        // The slot has been released.
        guard let self else { return load.finish(result.asCancelled) }
        guard load.times == times else { return }
        if self.load === load { self.finish(load, result) } else { self.finishBeside(load, result) }
      },
      progress: { [weak self, weak load] progress in
        if let load { self?.report(progress, of: load) }
      },
      preview: { [weak self, weak load] image in
        if let load, load.times == times { self?.show(image, of: load) }
      })
    load.task = task
    load.observePause(of: task) { [weak self, weak load] in
      if let load { self?.pauseDidChange(of: load) }
    }
    // The new task has joined the transfer of the previous task, so cancelling the previous task does not stop the
    // transfer.
    target.view?.setLoadOperation(task, forKey: target.key.operation)
  }

  private func finish(_ load: SlotLoad, _ result: SlotResult) {
    setLoad(nil)
    settle(load.slotRequest, result, load.handlers)
  }

  /// Shows the result of a request and calls its completion handlers.
  private func settle(
    _ slotRequest: SlotRequest, _ result: SlotResult, _ handlers: SlotHandlers?
  ) {
    let generation = generation
    // The code called from here may request another image.
    if let handlers { pending.add(handlers, result) }
    let isLoaded = if case .success = result { true } else { false }
    endIndicator(isLoaded: isLoaded)
    note(result, began: slotRequest.began)
    if case .failure(let error) = result {
      SlotDiagnostics.reportFailure(error, of: slotRequest.request.url.absoluteString, in: target)
    }
    switch result {
    case .success(let response):
      if !keepsImage(slotRequest, response) {
        shown = (slotRequest, response.image)
        if slotRequest.options.setsImage { show(response, of: slotRequest) }
      }
    case .failure where slotRequest.hasImage: break
    case .failure(.cancelled):
      url = nil
      takeBackPreview()
    case .failure: showFailure(of: slotRequest)
    }
    if load == nil, generation == self.generation { beginRecovery(slotRequest, after: result) }
    if !result.isCancelled { ImageSlot.observer?.slotDidSettle(result) }
    if let handlers {
      let transition = slotRequest.options.waitsForTransition ? target.view : nil
      pending.complete(handlers, result, afterTransitionOf: transition)
    }
    if load == nil, generation == self.generation { activity = .ended(success: isLoaded) }
    // The view may have grown during the load.
    sizeDidChange()
  }

  private func beginRecovery(_ slotRequest: SlotRequest, after result: SlotResult) {
    recovery = .begin(for: self, downloader(for: slotRequest), slotRequest, after: result)
  }

  /// Shows the image of a request that was sent again automatically. The completions have been called before.
  func recover(_ slotRequest: SlotRequest, _ response: ImageResponse, from failure: ImageError?) {
    guard load == nil, !slotRequest.hasImage || shown.map({ isStillThere($0.image) }) == true else {
      recovery = nil
      return
    }
    let generation = generation
    let result = SlotResult.success(response)
    note(result, began: slotRequest.began)
    if !keepsImage(slotRequest, response) {
      shown = (slotRequest, response.image)
      show(response, of: slotRequest)
    }
    guard load == nil, generation == self.generation else { return }
    beginRecovery(slotRequest, after: result)
    ImageSlot.observer?.slotDidRecover(response, from: failure)
    if load == nil, generation == self.generation { activity = .ended(success: true) }
    sizeDidChange()
  }

  /// True if the shown image stays: the server has confirmed the image, and the response has no more pixels.
  private func keepsImage(_ slotRequest: SlotRequest, _ response: ImageResponse) -> Bool {
    guard slotRequest.hasImage, response.freshness == .revalidated, let shown, isStillThere(shown.image)
    else {
      return false
    }
    return shown.image.pixelWidth >= response.image.pixelWidth
      && shown.image.pixelHeight >= response.image.pixelHeight
  }

  private func note(_ result: SlotResult, began: Double?) {
    let window = target.view?.window
    let elapsed = began.flatMap { began in window.map { $0.now - began } }
    guard let new = SlotReport(result, elapsed: elapsed) else { return }
    report = new
    if target.view?.window?.showsDiagnostics == true { target.view?.setNeedsDisplay(target.rect) }
  }

  private func show(_ response: ImageResponse, of slotRequest: SlotRequest) {
    let transition = slotRequest.options.transition(for: response.source)
    // A larger variant, or the image after its preview, does not slide in over itself.
    let isMoreOfIt = slotRequest.hasImage || preview != nil
    preview = nil
    show(
      response.image, by: slotRequest.options,
      transition: isMoreOfIt && transition.isAnimated ? .crossDissolve : transition)
  }

  private func showFailure(of slotRequest: SlotRequest) {
    guard slotRequest.options.setsImage else { return }
    if let failureImage = slotRequest.options.failureImage {
      preview = nil
      show(failureImage, by: slotRequest.options, transition: slotRequest.options.transition)
    } else if slotRequest.options.placeholderPolicy == .onFailure {
      preview = nil
      show(slotRequest.placeholder, by: slotRequest.options, transition: .none)
    } else {
      takeBackPreview(
        transition: slotRequest.options.transition(for: .network).isAnimated ? .crossDissolve : .none)
    }
  }

  /// Sets the current load. The view's `pendingSlots` counts each load that has been started.
  private func setLoad(_ new: SlotLoad?) {
    if let load, load.task != nil {
      target.view?.pendingSlots -= 1
      target.view?.removeLoadOperation(load.task, forKey: target.key.operation)
    }
    load = new
  }

  // MARK: Indicator

  private func startIndicator(for load: SlotLoad) {
    // A load for a larger or refreshed variant needs no indicator: an image is shown already.
    guard !load.slotRequest.hasImage, let window = target.view?.window else { return }
    indicator = SlotIndicator(slot: self, indicator: load.slotRequest.options.indicator, in: window)
    indicator?.report(load.task?.progress.fraction)
    indicator?.start()
  }

  private func report(_ progress: ImageTask.Progress, of load: SlotLoad) {
    guard self.load === load else { return }
    indicator?.report(progress.fraction)
    load.report(progress)
    guard self.load === load else { return }
    activity = load.task?.isPaused == true ? .paused : .running(progress: progress.fraction)
  }

  /// Updates the indicator and the activity: a paused load shows no indicator and does not count as running.
  private func pauseDidChange(of load: SlotLoad) {
    guard self.load === load, let task = load.task, !task.isFinished else { return }
    if task.isPaused {
      endIndicator(isLoaded: false)
    } else {
      dropIndicator()
      startIndicator(for: load)
    }
    activity = task.activity
  }

  private func endIndicator(isLoaded: Bool) {
    guard let window = target.view?.window, indicator?.window === window else { return dropIndicator() }
    indicator?.end(isLoaded: isLoaded)
  }

  private func dropIndicator() {
    indicator?.stop()
    indicator = nil
  }

  func indicatorDidChange() {
    if target.isShowing { target.view?.setNeedsDisplay(target.rect) }
  }

  func indicatorDidEnd(_ ended: SlotIndicator) {
    if indicator === ended { indicator = nil }
  }
}

extension ImageSlot: ActivitySource {
  func observeActivity(_ change: @escaping @MainActor () -> Void) -> ActivityObservation {
    observers.add(change)
  }
}

// MARK: Events of the view

extension ImageSlot {
  /// Starts a load that has waited for a size, and loads the image again if the view has outgrown the shown image.
  func sizeDidChange() {
    if let load, load.task == nil {
      if !showFromMemory(load) { start(load) }
    } else if let load, load.task?.isFinished == false, load.slotRequest.request.targetSize == nil,
      NeededSize(of: target).isMuchMore(than: load.slotRequest.size)
    {
      request(load)
    } else if load == nil, let shown, isStillThere(shown.image),
      shown.slotRequest.isOutgrown(shown.image, at: NeededSize(of: target))
    {
      let again = SlotLoad(shown.slotRequest.forGrowth)
      load = again
      // Also if this load fails, the image is not requested again at this size.
      self.shown?.slotRequest.size = NeededSize(of: target)
      if !showFromMemory(again) { start(again) }
    }
  }

  /// True if `image` has not been replaced by code outside the slot. Always true for a custom presentation, where the
  /// slot cannot know.
  private func isStillThere(_ image: Image) -> Bool {
    shown?.slotRequest.options.showsImage != nil || target.image === image
  }

  /// Called when the view enters or leaves a window. The indicator runs on the window's time, and the needed size
  /// depends on the window's scale.
  func windowDidChange() {
    guard let window = target.view?.window else { return }
    // A cell requests its image before it is inserted into its list.
    if load?.slotRequest.began == nil { load?.slotRequest.began = window.now }
    if indicator?.window !== window { dropIndicator() }
    load?.move(to: SlotVisibility(of: target.view))
    if let load, load.task != nil, indicator == nil {
      startIndicator(for: load)
    } else {
      indicator?.start()
    }
    sizeDidChange()
  }

  /// Called when the slot is drawn. Does not change the view tree.
  func wasDrawn() {
    load?.move(to: .visible)
    recovery?.wasDrawn()
  }

  /// Called when the view has been scrolled off the screen.
  func didLeaveScreen() { load?.move(to: .left) }

  /// True if the target is displayed in the view's current state and the indicator is visible at the time `now`.
  func isIndicatorVisible(at now: Double) -> Bool {
    target.isShowing && indicator?.isVisible(at: now) == true
  }

  /// Draws the source and loading time of the image over the view, if the target is visible in the view's current
  /// state.
  func drawReport(over view: View, into list: inout DrawList) {
    guard target.isShowing, let report else { return }
    report.draw(in: target.rect, cornerRadius: target.cornerRadius, of: view, into: &list)
  }

  func drawIndicator(over view: View, at now: Double, into list: inout DrawList) {
    indicator?.draw(in: target.rect, of: view, at: now, into: &list)
  }
}
