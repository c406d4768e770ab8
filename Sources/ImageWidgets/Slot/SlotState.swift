import VitrineGraphics
import VitrineLoading
import VitrineWidgets

/// The state and the decisions of a slot. Each mutating method is an input; `next()` returns the effects one at a time.
///
/// Effects that call handlers of the application come after all others, and a request begins only when all of them have
/// been performed. An effect is part of the state until it is returned: if code of the application gives the slot
/// another input, performing the effects of that input includes those that were left, and none remains for the outer
/// call.
struct SlotState: ~Copyable {
  private var content = SlotContent()
  private var loads = SlotLoads()
  private var completions = PendingCompletions()
  private var outputs = SlotOutputs()

  /// The URL of the latest request; `nil` for none, and after a cancelled or refused request.
  var url: String? { content.url }

  /// The state of the latest load.
  var activity: Activity { outputs.activity }

  /// The load in progress, started or waiting for the view to get a size; `nil` if the slot does not load.
  var load: SlotLoad? { loads.current }

  /// The load in progress, if the image has been requested from the downloader.
  var startedLoad: SlotLoad? { loads.isStarted ? loads.current : nil }

  /// The current load, and the detached loads, which continue without being shown.
  var runningLoads: [SlotLoad] { loads.running }

  /// The source and loading time of the shown image, or the failure; `nil` while the slot loads.
  var report: SlotReport? { content.report }

  /// The image that the slot shows, in its target or by a custom presentation.
  func shownImage(in scene: SlotScene) -> Image? { content.image(in: scene) }

  /// The image that the slot shows, or that was shown before the first preview.
  func imageWithoutPreview(in scene: SlotScene) -> Image? { content.imageWithoutPreview(in: scene) }

  /// The request of the image that the slot shows; `nil` if there is none.
  func shownRequest(in scene: SlotScene) -> SlotRequest? { content.shownRequest(in: scene) }

  /// Records that the view was drawn in the current state of the slot.
  mutating func wasDrawn() { content.wasDrawn() }

  // MARK: Requests

  /// Accepts a request. The request begins when the completions of the previous load have been called.
  ///
  /// - Returns: The replaced subject, to be released after this call, because a deinit of the application may call the
  ///   slot.
  mutating func request(_ slotRequest: SlotRequest, _ listeners: SlotListeners) -> SlotSubject {
    abandon(detaches: !slotRequest.options.cancelsPrevious)
    completions.callAll()
    return replaceSubject(by: .init(accepted: .init(slotRequest: slotRequest, listeners: listeners)))
  }

  /// Accepts a source from which no request can be made. `completion` is called later, with the error.
  ///
  /// - Returns: The replaced subject, to be released after this call.
  mutating func refuse(_ refusal: SlotRefusal, _ completion: SlotCompletion?) -> SlotSubject {
    abandon(detaches: false)
    completions.callAll()
    postpone(SlotListeners(completion: completion), .failure(refusal.error))
    return replaceSubject(by: .init(refusal: refusal))
  }

  /// Cancels all loads and shows nothing. The completions are called later.
  ///
  /// - Returns: The replaced subject, to be released after this call.
  mutating func clear() -> SlotSubject {
    abandon(detaches: false)
    content.clear()
    outputs.endActivity()
    return replaceSubject(by: .init())
  }

  /// Cancels all loads. The image or the placeholder stays; a preview is replaced by what was shown before. The
  /// completions are called later.
  mutating func cancel(in scene: SlotScene) {
    outputs.endRecovery()
    guard let load = loads.current else { return loads.cancelDetached(&completions) }
    abandon(detaches: false)
    content.cancel(load.slotRequest, in: scene)
    outputs.endActivity()
  }

  private mutating func abandon(detaches: Bool) {
    if loads.current != nil { outputs.endIndicator(isLoaded: false) }
    outputs.endRecovery()
    content.removeReport()
    loads.abandon(detaches: detaches, &completions)
  }

  private mutating func replaceSubject(by new: consuming SlotSubject) -> SlotSubject {
    let replaced = content.exchange(for: new)
    // Code called for the replaced request, before it began, has made the new one.
    if let listeners = replaced.accepted?.listeners { postpone(listeners, .failure(.cancelled)) }
    return replaced
  }

  private mutating func postpone(_ listeners: SlotListeners, _ result: SlotResult) {
    if !listeners.isEmpty { completions.postpone(SlotHandlers(listeners, result)) }
  }

  // MARK: Loads

  /// Continues a request after the lookup in memory. Does nothing if the request or the load has been replaced.
  ///
  /// - Parameters:
  ///   - hit: The image found in memory; `nil` if there is none.
  ///   - load: The load whose image was looked up; `nil` for a request that has just begun.
  mutating func found(_ hit: SlotHit?, for load: SlotLoad?, in scene: SlotScene) {
    guard let load else { return foundForRequest(hit, in: scene) }
    guard loads.isWaiting(load) else { return }
    load.lookedUp(in: scene)
    if let hit, !hit.isInterim, !load.slotRequest.requiresRevalidation {
      return settleLoad(load, hit.result, isStale: hit.isStale, in: scene)
    }
    loads.lookedUp()
    if let hit, !load.slotRequest.hasImage { showMeanwhile(hit, of: load, in: scene) }
  }

  private mutating func foundForRequest(_ hit: SlotHit?, in scene: SlotScene) {
    guard let accepted = content.takeRequest(in: scene) else { return }
    if let hit, !hit.isInterim, !accepted.slotRequest.requiresRevalidation {
      let handlers = completions.handlers(accepted.listeners)
      return settle(accepted.slotRequest, hit.result, handlers, isStale: hit.isStale, in: scene)
    }
    let load = SlotLoad(accepted.slotRequest, accepted.listeners)
    loads.begin(load, .start)
    if let hit, load.slotRequest.options.setsImage || !hit.isInterim {
      showMeanwhile(hit, of: load, in: scene)
    } else {
      content.showPlaceholder(of: accepted.slotRequest, in: scene)
    }
  }

  private mutating func showMeanwhile(_ hit: SlotHit, of load: SlotLoad, in scene: SlotScene) {
    if hit.isInterim { load.continuesSmallerVariant() }
    showMeanwhile(hit.response, of: load, in: scene)
  }

  private mutating func showMeanwhile(
    _ response: ImageResponse, of load: SlotLoad, in scene: SlotScene
  ) {
    let isVariant = load.slotRequest.hasProvisionalImage
    let isContinued = content.continuesFirstFrame(response, of: load.slotRequest, in: scene)
    load.refreshesShownImage()
    content.showMeanwhile(
      response, of: load.slotRequest, isVariant: isVariant, isContinued: isContinued, in: scene)
  }

  /// Shows the stored image of a load that refreshes it, unless the slot shows an image or a preview already. The stored
  /// image replaces its own first frame or smaller variant.
  mutating func received(storedImage response: ImageResponse, of load: SlotLoad, in scene: SlotScene) {
    guard loads.current === load, !load.slotRequest.hasImage || load.slotRequest.hasProvisionalImage,
      !content.hasPreview
    else { return }
    if !load.slotRequest.hasImage { outputs.endIndicator(isLoaded: true) }
    showMeanwhile(response, of: load, in: scene)
  }

  /// Shows the first frame of an animation or a smaller variant of an image that is loading, unless the slot shows an
  /// image or a preview already. The result of the load follows, and the completions are called with it.
  mutating func received(provisional image: Image, of load: SlotLoad, in scene: SlotScene) {
    guard loads.current === load, load.slotRequest.options.setsImage, !load.slotRequest.hasImage,
      !content.hasPreview
    else { return }
    outputs.endIndicator(isLoaded: true)
    load.continuesProvisionalImage()
    content.showMeanwhile(ImageResponse(provisional: image), of: load.slotRequest, in: scene)
  }

  /// Returns true if a waiting load is to be started: not while the view has no size.
  mutating func canStart(_ load: SlotLoad, in scene: SlotScene) -> Bool {
    let hasSize = load.slotRequest.request.targetSize != nil || scene.needed != .unknown
    if !hasSize { outputs.activity = .paused }
    return hasSize
  }

  mutating func start(_ load: SlotLoad) { loads.start(load) }

  /// Requests the image of the current load again, because another call wants previews.
  mutating func restart() { loads.restart() }

  /// Shows that a load is running. The image has been requested from the downloader.
  mutating func requested(_ load: SlotLoad) {
    if progressed(load, to: .running(progress: nil)) { outputs.startIndicator(of: load) }
  }

  /// Records the progress of a load. Returns false if the load is not the current one.
  mutating func progressed(_ load: SlotLoad, to activity: Activity) -> Bool {
    guard loads.current === load else { return false }
    outputs.activity = activity
    return true
  }

  /// Shows no indicator while the load is paused.
  mutating func pauseChanged(_ load: SlotLoad, isPaused: Bool, _ activity: Activity) {
    guard progressed(load, to: activity) else { return }
    if isPaused { outputs.endIndicator(isLoaded: false) } else { outputs.startIndicator(of: load) }
  }

  /// Shows a preview of the current load.
  mutating func received(preview image: Image, of load: SlotLoad, in scene: SlotScene) {
    if loads.current === load { content.showPreview(image, of: load.slotRequest, in: scene) }
  }

  /// Continues the previews at the end of the transition to a preview.
  mutating func transitionEnded(to image: Image) {
    if let load = loads.current { content.transitionEnded(to: image, of: load.slotRequest) }
  }

  /// Starts a load that has waited for a size, and loads the image again if the view has outgrown the requested or the
  /// shown image.
  ///
  /// - Parameter isRunning: True if the task of the current load has no result yet.
  mutating func sizeChanged(in scene: SlotScene, isRunning: Bool) {
    // Compared when the request has been looked up.
    guard content.isSettled else { return outputs.checkSize() }
    if loads.current != nil {
      loads.sizeChanged(in: scene, isRunning: isRunning)
    } else if let larger = content.outgrown(in: scene) {
      loads.begin(SlotLoad(larger), .lookUp)
    }
  }

  /// Requests `.checkSize` when all other effects have been performed.
  mutating func checkSizeLater() { outputs.checkSize() }

  // MARK: Results

  /// Shows the result of the current load. The result of another load is only passed to its completions: if the load
  /// was cancelled, a success is passed as cancelled.
  mutating func received(_ result: SlotResult, of load: SlotLoad, isStale: Bool, in scene: SlotScene) {
    if loads.current === load {
      settleLoad(load, result, isStale: isStale, in: scene)
      outputs.checkSize()
    } else {
      load.handlers.settle(loads.endDetached(load) ? result : result.asCancelled)
      completions.add(load.handlers)
    }
  }

  private mutating func settleLoad(_ load: SlotLoad, _ result: SlotResult, isStale: Bool, in scene: SlotScene)
  {
    loads.end()
    outputs.endIndicator(isLoaded: result.image != nil)
    settle(load.slotRequest, result, load.handlers, isStale: isStale, in: scene)
  }

  private mutating func settle(
    _ slotRequest: SlotRequest, _ result: SlotResult, _ handlers: SlotHandlers?, isStale: Bool,
    in scene: SlotScene
  ) {
    if let handlers {
      handlers.settle(result)
      completions.add(
        handlers, afterTransitionTo: slotRequest.options.waitsForTransition ? result.image : nil)
    }
    finish(slotRequest, result, .settled(result, of: slotRequest), isStale: isStale, in: scene)
  }

  /// Shows the image of an automatic retry. The completions have been called before.
  mutating func recovered(
    _ slotRequest: SlotRequest, _ response: ImageResponse, from failure: ImageError?, isStale: Bool,
    in scene: SlotScene
  ) {
    guard loads.current == nil, content.isSettled, !slotRequest.hasImage || content.hasKeptImage(in: scene)
    else { return outputs.endRecovery() }
    finish(slotRequest, .success(response), .recovered(response, from: failure), isStale: isStale, in: scene)
    outputs.checkSize()
  }

  /// Shows the next image of a live stream. Returns false if the slot no longer shows the stream.
  mutating func received(liveImage image: Image, of slotRequest: SlotRequest, in scene: SlotScene) -> Bool {
    loads.current == nil && content.isSettled && content.showNext(image, of: slotRequest, in: scene)
  }

  private mutating func finish(
    _ slotRequest: SlotRequest, _ result: SlotResult, _ event: SlotEvent, isStale: Bool, in scene: SlotScene
  ) {
    content.show(result, of: slotRequest, in: scene)
    outputs.finish(isLoaded: result.image != nil, result.isCancelled ? nil : event)
    let isRefreshed = slotRequest.options.effectiveRefreshInterval != nil
    if result.image == nil || isStale || isRefreshed { outputs.beginRecovery(slotRequest, after: result) }
  }

  /// Shows the failure of a refused source.
  mutating func showRefusal(in scene: SlotScene) {
    guard let refusal = content.showRefusal(in: scene) else { return }
    outputs.finish(isLoaded: false, .refused(refusal.error, isNil: refusal.isNil))
  }

  // MARK: Effects

  /// Removes and returns the event to announce; `nil` if there is none.
  mutating func takeEvent() -> SlotEvent? { outputs.takeEvent() }

  /// Returns the lookup of a load, or of the request that has just been made; `nil` if there is none.
  func lookup(for load: SlotLoad?) -> SlotLookup? { load?.slotRequest.lookup ?? content.lookup }

  /// Returns the next effect to perform; `nil` if nothing is left.
  mutating func next() -> SlotEffect? {
    loads.nextEnd() ?? outputs.nextEffect() ?? content.nextEffect()
      // From here on, handlers of the application are called.
      ?? content.nextCall() ?? outputs.nextEvent() ?? completions.next() ?? outputs.nextNotification()
      // The next step of a request, once nothing else is left.
      ?? content.nextStep() ?? loads.nextStep() ?? (content.isSettled ? outputs.nextCheck() : nil)
  }
}
