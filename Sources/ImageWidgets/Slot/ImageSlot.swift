import VitrineGraphics
import VitrineLoading
import VitrineWidgets

/// A slot for an image from the network: the contents of a view, or the image or background image of a button in one
/// state.
///
/// A slot shows an image from memory at once; otherwise it shows a placeholder and a spinner while the image loads.
/// Only the result of the latest request is shown. The slot is owned by its view and released with it.
///
/// `SlotState` decides. Each method passes one input to the state and performs the effects.
final class ImageSlot {
  let target: any SlotTarget
  var state = SlotState()
  /// The indicator over the slot, until it has faded out.
  var indicator: SlotIndicator?
  /// Sends the request again while the slot shows a retryable failure or a stale image, or at intervals.
  var recovery: SlotRecovery?
  /// The live stream whose images the slot shows.
  var liveStream: SlotLiveStream?
  let observers = ActivityObservers()
  /// True while the image of the target is set. A subclass of the view may change its size then.
  var isSettingTarget = false

  init(target: any SlotTarget) { self.target = target }

  // The view has been released. Completion handlers are called with `.cancelled`, later.
  isolated deinit { for load in state.runningLoads { load.cancel() } }

  /// A snapshot of the target.
  var scene: SlotScene {
    let window = target.view?.window
    return SlotScene(
      image: target.image, needed: NeededSize(of: target), now: window?.now,
      isInRealTime: window?.isInRealTime ?? false)
  }

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
      let refusal = SlotRefusal(
        (error as? ImageError) ?? .invalidURL(""), isNil: source == nil, placeholder: placeholder,
        options: options)
      let replaced = state.refuse(refusal, completion)
      return performEffects(releasing: replaced)
    }
    let slotRequest = SlotRequest(
      request: request, additionalIdentifier: additionalIdentifier, placeholder: placeholder,
      options: options)
    let listeners = SlotListeners(progress: progress, completion: completion)
    if let load = state.load, !load.isGivenUp, load.slotRequest.isSame(as: slotRequest) {
      if load.join(listeners, as: request) { state.restart() }
      performEffects()
    } else {
      let replaced = state.request(slotRequest, listeners)
      performEffects(releasing: replaced)
    }
  }

  /// Cancels the current load and the detached loads. The image or the placeholder stays; a preview is replaced by what
  /// was shown before. The completion handlers are called with `.cancelled`.
  func cancel() {
    state.cancel(in: scene)
    performEffects()
  }

  /// Cancels all loads and shows nothing.
  func clear() {
    let replaced = state.clear()
    performEffects(releasing: replaced)
  }

  /// Shows the image of a request that was sent again automatically. The completions have been called before.
  func recover(_ slotRequest: SlotRequest, _ response: ImageResponse, from failure: ImageError?) {
    state.recovered(
      slotRequest, response, from: failure, isStale: isStale(response, of: slotRequest), in: scene)
    performEffects()
  }

  /// Shows the next image of a live stream. Returns false if the slot no longer shows the stream.
  func show(liveImage image: Image, of slotRequest: SlotRequest) -> Bool {
    defer { performEffects() }
    return state.received(liveImage: image, of: slotRequest, in: scene)
  }

  // MARK: Queries

  var url: String? { state.url }

  /// True while an image is loading or waits for the view to get a size.
  var isLoading: Bool { state.load != nil }

  /// The image that the slot shows, in `target` or by a custom presentation.
  var shownImage: Image? { state.shownImage(in: scene) }
}

extension ImageSlot: ActivitySource {
  var activity: Activity { state.activity }

  func observeActivity(_ change: @escaping @MainActor () -> Void) -> ActivityObservation {
    observers.add(change)
  }
}
