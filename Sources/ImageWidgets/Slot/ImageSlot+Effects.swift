import VitrineGraphics
import VitrineLoading
import VitrineWidgets

// The effects that `SlotState` has decided on.

extension ImageSlot {
  /// Performs all effects. `replaced` is released here, outside of an access to the state.
  func performEffects(releasing replaced: consuming SlotSubject = .init()) {
    while let effect = state.next() { perform(effect) }
  }

  private func perform(_ effect: SlotEffect) {
    switch effect {
    case .end(let load): unregister(load)
    case .cancel(let load): load.cancel()
    case .startIndicator(let load): startIndicator(for: load)
    case .endIndicator(let isLoaded): endIndicator(isLoaded: isLoaded)
    case .endRecovery:
      replaceRecovery(by: nil)
      replaceLiveStream(by: nil)
    case .beginRecovery(let slotRequest, let result):
      let downloader = downloader(for: slotRequest.options.downloader)
      replaceRecovery(by: .begin(for: self, downloader, slotRequest, after: result))
    case .drawReport:
      if let view = target.view, view.window?.showsDiagnostics == true { view.setNeedsDisplay(target.rect) }
    case .show(let image, let transition):
      isSettingTarget = true
      target.show(image, transition: transition)
      isSettingTarget = false
    case .awaitTransition(let image):
      target.view?.afterTransition(to: image) { [weak self] in self?.transitionDidEnd(to: image) }
    case .present(let show, let image, _): if let view = target.view { show(view, image) }
    case .announce: if let event = state.takeEvent() { announce(event) }
    case .complete(let handlers): handlers.callNext()
    case .completeLater(let handlers): Task { @MainActor in handlers.call() }
    case .completeAfterTransition(let handlers, let image):
      if let view = target.view { view.afterTransition(to: image, handlers.call) } else { handlers.call() }
    case .notifyActivity: observers.notify()
    case .lookUp(let load): if let lookup = state.lookup(for: load) { lookUp(lookup, for: load) }
    case .start(let load): start(load)
    case .request(let load, let isFirst): request(load, isFirst: isFirst)
    case .showRefusal: state.showRefusal(in: scene)
    case .checkSize: compareSize()
    }
  }

  /// The previous recovery is released when the access has ended, because a deinit of the application may call the slot.
  private func replaceRecovery(by new: SlotRecovery?) {
    var replaced = new
    swap(&replaced, &recovery)
  }

  /// The previous stream is released when the access has ended, as a recovery is.
  private func replaceLiveStream(by new: SlotLiveStream?) {
    var replaced = new
    swap(&replaced, &liveStream)
  }

  private func announce(_ event: SlotEvent) {
    switch event {
    case .settled(let result, let url):
      if case .failure(let error) = result { SlotDiagnostics.reportFailure(error, of: url, in: target) }
      ImageSlot.observer?.slotDidSettle(result)
    case .refused(let error, let isNil):
      if !isNil { SlotDiagnostics.reportFailure(error, of: nil, in: target) }
      ImageSlot.observer?.slotDidSettle(.failure(error))
    case .recovered(let response, let failure):
      ImageSlot.observer?.slotDidRecover(response, from: failure)
    }
  }

  private func transitionDidEnd(to image: Image) {
    state.transitionEnded(to: image)
    performEffects()
  }
}

// MARK: Loading

extension ImageSlot {
  /// The downloader of a request, or else that of the view's class.
  private func downloader(for own: ImageDownloader?) -> ImageDownloader {
    own ?? target.view.map { type(of: $0).sharedImageDownloader } ?? View.sharedImageDownloader
  }

  /// A source of the regions of the shown image; `nil` if the image is decoded only as a whole, or always in the size
  /// that the request asks for.
  var tileSource: (any TileSource)? {
    guard let shown = state.shownRequest(in: scene), !shown.isLive, shown.request.targetSize == nil else {
      return nil
    }
    return ImageRegions(of: shown.request, from: downloader(for: shown.options.downloader))
  }

  /// Looks for the image in memory, at the size that is needed now.
  private func lookUp(_ lookup: SlotLookup, for load: SlotLoad?) {
    let scene = scene
    guard !lookup.isLive else { return state.found(nil, for: load, in: scene) }
    let downloader = downloader(for: lookup.downloader)
    var request = lookup.request
    request.fit(scene.needed)
    guard let image = downloader.cachedImage(for: request, additionalIdentifier: lookup.additionalIdentifier),
      // A view that shows images in their natural size needs all pixels, not the largest thumbnail in memory.
      request.hasAllPixels(image) || request.targetSize != nil || !target.contentMode.keepsNaturalSize
        || request.cachePolicy == .cacheOnly,
      mayShow(image, for: request, downloader)
    else {
      let hit = smallerVariant(of: request, lookup.additionalIdentifier, downloader)
      return state.found(hit, for: load, in: scene)
    }
    let freshness = downloader.freshnessInMemory(of: image, for: request)
    let hit = SlotHit(
      image: image, staleness: freshness.staleness, freshness: freshness.freshness,
      isInterim: freshness.isExpired)
    if !freshness.isExpired {
      ImageSlot.observer?.slotWillLoad()
      downloader.traceServed(request, image)
    }
    state.found(hit, for: load, in: scene)
  }

  /// False for an image that waits for its server. The image that the view shows stays there until the server has
  /// responded, also if it was decoded again.
  private func mayShow(_ image: Image, for request: ImageRequest, _ downloader: ImageDownloader) -> Bool {
    guard downloader.isToBeConfirmed(image, for: request) else { return true }
    return scene.image.map { ShownImage($0).isSame(as: image) } ?? false
  }

  /// Returns the largest variant in memory of an image of which no variant has enough pixels; `nil` if there is none.
  private func smallerVariant(
    of request: ImageRequest, _ additionalIdentifier: String?, _ downloader: ImageDownloader
  ) -> SlotHit? {
    guard request.targetSize != nil else { return nil }
    let variant = downloader.largestVariant(of: request, additionalIdentifier: additionalIdentifier)
    return variant.flatMap { mayShow($0, for: request, downloader) ? $0 : nil }
      .map { SlotHit(image: $0, staleness: downloader.staleness(of: $0), isInterim: true) }
  }

  private func start(_ load: SlotLoad) {
    guard state.canStart(load, in: scene) else { return }
    ImageSlot.observer?.slotWillLoad()
    state.start(load)
  }

  /// Requests the image from the downloader at the currently needed size, and registers the task with the view, which
  /// cancels the task of the previous attempt. The new task has joined its transfer by then.
  private func request(_ load: SlotLoad, isFirst: Bool) {
    let visibility = SlotVisibility(of: target.view)
    if isFirst {
      target.view?.pendingSlots += 1
      announceLoad(load, visibility)
    }
    let downloader = downloader(for: load.slotRequest.options.downloader)
    if let options = load.slotRequest.options.liveStream {
      let new = SlotLiveStream(in: self, load, options)
      replaceLiveStream(by: new)
      new.start(from: downloader)
    } else {
      let task = load.request(
        from: downloader, at: NeededSize(of: target), visibility, events(of: load))
      if let task { target.view?.setLoadOperation(task, forKey: target.key.operation) }
    }
    if isFirst { state.requested(load) }
  }

  /// The load is referenced until its task ends, so that its completions are called if the slot is released.
  private func events(of load: SlotLoad) -> SlotLoad.Events {
    .init(
      completion: { [weak self] result in
        if let self { received(result, of: load) } else { load.handlers.finish(result.asCancelled) }
      },
      progress: { [weak self, weak load] progress in if let load { self?.received(progress, of: load) } },
      preview: { [weak self, weak load] image in if let load { self?.received(preview: image, of: load) } },
      storedImage: { [weak self, weak load] response in
        if let load { self?.received(storedImage: response, of: load) }
      },
      pause: { [weak self, weak load] task in if let load { self?.pauseDidChange(of: load, task) } })
  }

  private func unregister(_ load: SlotLoad) {
    target.view?.pendingSlots -= 1
    target.view?.removeLoadOperation(load.task, forKey: target.key.operation)
  }

  /// True if the image of a response is known to be out of date.
  func isStale(_ response: ImageResponse, of slotRequest: SlotRequest) -> Bool {
    if case .stale = response.freshness { return true }
    let downloader = downloader(for: slotRequest.options.downloader)
    return downloader.staleness(of: response.image, for: slotRequest.request) != nil
  }

  func received(_ result: SlotResult, of load: SlotLoad) {
    let isStale =
      if case .success(let response) = result { isStale(response, of: load.slotRequest) } else { false }
    state.received(result, of: load, isStale: isStale, in: scene)
    performEffects()
  }

  private func received(_ progress: ImageTask.Progress, of load: SlotLoad) {
    let isPaused = load.task?.isPaused == true
    guard state.progressed(load, to: isPaused ? .paused : .running(progress: progress.fraction)) else {
      return
    }
    indicator?.report(progress.fraction)
    load.handlers.report(progress)
    performEffects()
  }

  /// Shows a preview; or the first frame of an animation or a smaller variant, which are complete.
  private func received(preview image: Image, of load: SlotLoad) {
    if image.isPreview {
      state.received(preview: image, of: load, in: scene)
    } else {
      state.received(provisional: image, of: load, in: scene)
    }
    performEffects()
  }

  private func received(storedImage response: ImageResponse, of load: SlotLoad) {
    state.received(storedImage: response, of: load, in: scene)
    performEffects()
  }

  /// Updates the indicator and the activity: a paused load shows no indicator and does not count as running.
  private func pauseDidChange(of load: SlotLoad, _ task: ImageTask) {
    state.pauseChanged(load, isPaused: task.isPaused, task.activity)
    performEffects()
  }
}
