import FoundationEssentials
import VitrineGraphics
import VitrineLoading
import VitrineWidgets

/// An effect that `SlotState` has decided on and that `ImageSlot` performs. Kept small, because the state returns several
/// effects per request: large values stay in the state until they are taken.
enum SlotEffect {
  // MARK: Effects that call no handler of the application

  /// Removes a started load from the view's count and operations.
  case end(SlotLoad)
  /// Cancels a load.
  case cancel(SlotLoad)
  /// Shows the indicator of a load.
  case startIndicator(SlotLoad)
  /// Fades the indicator out.
  case endIndicator(isLoaded: Bool)
  /// Ends the automatic retries of the previous result, and the previous live stream.
  case endRecovery
  /// Retries the request automatically if the result is a retryable failure or a stale image.
  indirect case beginRecovery(SlotRequest, SlotResult)
  /// Draws the diagnostic report.
  case drawReport
  /// Sets the image of the target. A subclass of the view may override the setter.
  case show(Image?, Transition)
  /// Reports the end of the transition to a preview with `SlotState.transitionEnded(to:)`.
  case awaitTransition(to: Image)

  // MARK: Effects that call handlers of the application

  /// Calls a custom presentation. `replaced` is the previous custom presentation, released with the effect.
  case present(SlotPresentation.Show, Image?, replaced: SlotPresentation.Show?)
  /// Reports the event of `SlotState.takeEvent()` to the slot observer and the diagnostic log.
  case announce
  /// Calls the next completion of these handlers.
  case complete(SlotHandlers)
  /// Calls the completions at the end of the transition to an image.
  case completeAfterTransition(SlotHandlers, to: Image)
  /// Calls the completions in a task of their own.
  case completeLater(SlotHandlers)
  /// Notifies the observers of `SlotState.activity`.
  case notifyActivity

  // MARK: Steps of the current request

  /// Looks for the image of `SlotState.lookup(for:)` in memory, and continues with `SlotState.found(_:for:in:)`. The load
  /// is `nil` for a request that has just been made.
  case lookUp(SlotLoad?)
  /// Starts a load whose view has a size, with `SlotState.start(_:)`.
  case start(SlotLoad)
  /// Requests the image from the downloader, and continues with `SlotState.requested(_:)`. `isFirst` is false if the
  /// load is requested again at another size.
  case request(SlotLoad, isFirst: Bool)
  /// Shows the failure of a refused source, with `SlotState.showRefusal(in:)`.
  case showRefusal
  /// Compares the size of the view with that of the shown image, with `SlotState.sizeChanged(in:isRunning:)`.
  case checkSize
}

/// An event that the slot observer and the diagnostic log receive.
enum SlotEvent {
  /// The result of a request; never a cancelled one. `url` is that of a failed request, for the log.
  case settled(SlotResult, url: String?)
  /// No request could be made from a source. If there was no source at all, the failure is not logged.
  case refused(ImageError, isNil: Bool)
  /// An automatic retry has loaded an image. `failure` was shown before; `nil` for a stale image.
  case recovered(ImageResponse, from: ImageError?)

  static func settled(_ result: SlotResult, of slotRequest: SlotRequest) -> SlotEvent {
    .settled(result, url: result.image == nil ? slotRequest.request.url.absoluteString : nil)
  }
}

/// The part of a request by which its image is looked up in memory.
struct SlotLookup {
  let request: ImageRequest
  let additionalIdentifier: String?
  /// The downloader of the request; `nil` for that of the view's class.
  let downloader: ImageDownloader?
  /// True for a live stream, whose images are in no cache.
  let isLive: Bool
}

/// An image found in memory.
struct SlotHit {
  let image: Image
  /// The staleness of an image that is known to be out of date.
  let staleness: Staleness?
  /// The freshness that callers see, also of an image that serves them without its server; `nil` if it follows from
  /// `staleness`.
  var freshness: ImageResponse.Freshness?
  /// True if the image is shown until the load has ended: it has fewer pixels than the slot needs, or is past its
  /// lifetime.
  var isInterim = false

  var isStale: Bool { staleness != nil }

  var response: ImageResponse {
    let known = staleness.map { ImageResponse.Freshness.stale(age: $0.age, reason: $0.reason) }
    return ImageResponse(image: image, source: .memory, freshness: freshness ?? known ?? .fresh)
  }

  var result: SlotResult { .success(response) }
}

/// A snapshot of the slot's target when an input arrives.
struct SlotScene {
  /// The image set on the target; not that of the slot if other code has replaced it.
  let image: Image?
  /// The size at which the target needs an image.
  let needed: NeededSize
  /// The time of the window in seconds; `nil` outside of a window.
  let now: Double?
  /// True if a host draws the window in real time; false if a program advances the time.
  var isInRealTime = false
}
