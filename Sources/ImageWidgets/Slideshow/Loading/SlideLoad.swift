import VitrineConcurrency
import VitrineGraphics
import VitrineLoading

/// The load of one slide: downloads and decodes the image, and draws its backdrop if it does not fill the view.
///
/// Without an awaited slide, the view is empty. Frames wait for such a slide within their limits, as for stored images,
/// and if its backdrop takes longer, the image is shown without the backdrop meanwhile.
///
/// The load is cancelled when this object is released.
final class SlideLoad {
  typealias Result = Swift.Result<SlideImage, ImageError>

  private let size: SlideSize
  private let completion: (SlideLoad, Result) -> Void
  /// Called before the completion of an awaited load, with the image without its backdrop.
  private let onWholeImage: ((SlideLoad, SlideImage) -> Void)?
  private var task: ImageTask?
  private var isOver = false
  /// The image if it is stale.
  private(set) var stale: StaleImage?

  /// A stale image with its request. The reason is `nil` while its server is being asked.
  struct StaleImage {
    let request: ImageRequest
    let image: Image
    let reason: ImageError?
  }

  /// - Parameters:
  ///   - onWholeImage: Called at most once, before the completion, with an image that has no backdrop yet; `nil` if the
  ///     slide is not awaited.
  ///   - completion: Called once, after `start(_:from:)` has returned, unless the load is cancelled.
  init(
    _ size: SlideSize, onWholeImage: ((SlideLoad, SlideImage) -> Void)? = nil,
    completion: @escaping (SlideLoad, Result) -> Void
  ) {
    self.size = size
    self.onWholeImage = onWholeImage
    self.completion = completion
  }

  isolated deinit { task?.cancel() }

  func start(_ slide: Slide, from downloader: ImageDownloader) {
    ImageSlot.observer?.slotWillLoad()
    switch slide.request {
    case .success(var request):
      request.targetSize = size.target
      // A transform may change the shape, which decides whether the slide fills the view.
      if !request.transforms.isEmpty { request.targetSize?.mode = .fill }
      request.animation = .firstFrame
      request.progressive = .none
      // A stale image is shown without waiting for its server, as in a slot.
      task = downloader.load(request, isForSlot: true, isAwaited: onWholeImage != nil) {
        [weak self, request] result in
        if case .success(let response) = result, case .stale(_, let reason) = response.freshness {
          self?.stale = StaleImage(request: request, image: response.image, reason: reason)
        }
        self?.received(result, from: downloader)
      }
    case .failure(let error):
      MainActorQueue.main.post { [weak self] in self?.received(.failure(error), from: downloader) }
    }
  }

  /// Makes the slide of an image that is loaded.
  func start(with image: Image, from downloader: ImageDownloader) {
    MainActorQueue.main.post { [weak self] in
      if let self, !isOver { place(image, with: downloader) }
    }
  }

  /// Cancels the load. The completion is not called any more.
  func cancel() {
    isOver = true
    task?.cancel()
  }

  private func received(_ result: Swift.Result<ImageResponse, ImageError>, from downloader: ImageDownloader) {
    if result.error != .cancelled { ImageSlot.observer?.slotDidSettle(result) }
    guard !isOver else { return }
    switch result {
    case .failure(let error): finish(.failure(error))
    case .success(let response): place(response.image, with: downloader)
    }
  }

  private func place(_ image: Image, with downloader: ImageDownloader) {
    if size.fills(imageWidth: image.sourceWidth, imageHeight: image.sourceHeight) {
      finish(.success(SlideImage(image)))
    } else {
      compose(image, with: downloader)
      onWholeImage?(self, SlideImage(whole: image))
    }
  }

  /// Draws the backdrop on another thread.
  private func compose(_ image: Image, with downloader: ImageDownloader) {
    let composer = SlideComposer(width: size.width, height: size.height)
    let isAwaited = onWholeImage != nil
    if isAwaited { downloader.beginPreparation() }
    // Begins on another thread, because a frame that waits for the composition blocks the main actor. Not a task: after the
    // first one, libdispatch of Swift 6.3.1 on Linux wakes the process each second.
    BlockingThread.start { [weak self] in
      let composition = Self.composition(of: image, by: composer, countedIn: downloader.ledger)
      MainActorQueue.main.post { self?.finish(.success(SlideImage(composition, of: image))) }
      if isAwaited { downloader.endPreparation() }
    }
  }

  private nonisolated static func composition(
    of image: Image, by composer: SlideComposer, countedIn ledger: MemoryLedger
  ) -> Image {
    let bytes = composer.width * composer.height * PixelFormat.bytesPerPixel
    let reservation = MemoryReservation(bytes, in: ledger, as: .decoding)
    let composition = composer.composition(of: image)
    composition.countAsShown(movedFrom: reservation)
    return composition
  }

  private func finish(_ result: Result) {
    guard !isOver else { return }
    isOver = true
    completion(self, result)
  }
}

extension Result<ImageResponse, ImageError> {
  fileprivate var error: ImageError? { if case .failure(let error) = self { error } else { nil } }
}
