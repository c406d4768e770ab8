import VitrineConcurrency
import VitrineGraphics
import VitrineLoading

/// The load of one slide: downloads and decodes the image, and draws its backdrop if it does not fill the view.
///
/// The load is cancelled when this object is released.
final class SlideLoad {
  typealias Result = Swift.Result<SlideImage, ImageError>

  private let size: SlideSize
  private let completion: (SlideLoad, Result) -> Void
  private var task: ImageTask?
  private var isOver = false

  /// - Parameter completion: Called once, after `start(_:from:)` has returned, unless the load is cancelled.
  init(_ size: SlideSize, completion: @escaping (SlideLoad, Result) -> Void) {
    self.size = size
    self.completion = completion
  }

  isolated deinit { task?.cancel() }

  func start(_ slide: Slide, from downloader: ImageDownloader) {
    ImageSlot.observer?.slotWillLoad()
    switch slide.request {
    case .success(var request):
      request.targetSize = size.target
      request.animation = .firstFrame
      request.progressive = .none
      // A stale image is shown without waiting for its server, as in a slot.
      task = downloader.load(request, isForSlot: true) { [weak self] result in
        self?.received(result, ledger: downloader.ledger)
      }
    case .failure(let error):
      MainActorQueue.main.post { [weak self] in self?.received(.failure(error), ledger: downloader.ledger) }
    }
  }

  /// Cancels the load. The completion is not called any more.
  func cancel() {
    isOver = true
    task?.cancel()
  }

  private func received(_ result: Swift.Result<ImageResponse, ImageError>, ledger: MemoryLedger) {
    if result.error != .cancelled { ImageSlot.observer?.slotDidSettle(result) }
    guard !isOver else { return }
    switch result {
    case .failure(let error): finish(.failure(error))
    case .success(let response):
      let image = response.image
      if size.fills(imageWidth: image.sourceWidth, imageHeight: image.sourceHeight) {
        finish(.success(SlideImage(image)))
      } else {
        compose(image, ledger)
      }
    }
  }

  private func compose(_ image: Image, _ ledger: MemoryLedger) {
    let composer = SlideComposer(width: size.width, height: size.height)
    Task { [weak self] in
      let composition = await Self.composition(of: image, by: composer, countedIn: ledger)
      self?.finish(.success(SlideImage(composition, of: image)))
    }
  }

  @concurrent private nonisolated static func composition(
    of image: Image, by composer: SlideComposer, countedIn ledger: MemoryLedger
  ) async -> Image {
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
