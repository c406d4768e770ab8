import VitrineConcurrency
import VitrineGraphics
import VitrineLoading

/// The next slide of a slideshow while it loads and until it is shown, and the shown slide while it loads for another
/// size.
final class SlidePreparation {
  /// The size for which slides are prepared; `nil` before the view has one.
  private(set) var size: SlideSize?
  /// The next slide, once it is ready.
  private(set) var next: SlideImage?
  private var load: SlideLoad?
  private var resizing: SlideLoad?
  private var observation: (downloader: ImageDownloader, observation: any Cancellable)?
  /// Called when the next slide is ready or has failed.
  var onResult: (Result<Void, ImageError>) -> Void = { _ in }
  /// Called with the image of the shown slide in the new size.
  var onResize: (SlideImage) -> Void = { _ in }
  /// Called when the network has returned.
  var onConnectivity: () -> Void = {}

  /// True while the next slide is loading.
  var isLoading: Bool { load != nil }
  /// True while the shown slide is loading for another size.
  var isResizing: Bool { resizing != nil }

  /// Loads a slide in place of the next one.
  func begin(_ slide: Slide, from downloader: ImageDownloader) {
    drop()
    guard let size else { return }
    observeConnectivity(of: downloader)
    let load = SlideLoad(size) { [weak self] in self?.loaded($0, $1) }
    self.load = load
    load.start(slide, from: downloader)
  }

  /// Drops the next slide.
  func drop() {
    load?.cancel()
    (load, next) = (nil, nil)
  }

  /// Returns the next slide and releases it.
  func take() -> SlideImage? {
    // The slide that is about to be replaced needs no other size.
    endResizing()
    defer { next = nil }
    return next
  }

  private func loaded(_ ended: SlideLoad, _ result: SlideLoad.Result) {
    guard ended === load else { return }
    load = nil
    switch result {
    case .success(let image):
      next = image
      onResult(.success(()))
    case .failure(let error): onResult(.failure(error))
    }
  }

  private func observeConnectivity(of downloader: ImageDownloader) {
    guard observation?.downloader !== downloader else { return }
    observation = (
      downloader, downloader.observeConnectivity { [weak self] in self?.onConnectivity() }
    )
  }

  // MARK: Size

  /// Takes over another size. Returns true if the next slide has to be loaded again.
  func resize(to new: SlideSize) -> Bool {
    size = new
    endResizing()
    return load != nil || next.map { new.needsAnother(than: $0) } == true
  }

  /// Loads the shown slide for the current size, without a failure: the image of the previous size stays.
  func resize(_ slide: Slide, from downloader: ImageDownloader) {
    guard let size else { return }
    let load = SlideLoad(size) { [weak self] ended, result in
      guard let self, ended === resizing else { return }
      resizing = nil
      if case .success(let image) = result { onResize(image) }
    }
    resizing = load
    load.start(slide, from: downloader)
  }

  func endResizing() {
    resizing?.cancel()
    resizing = nil
  }
}
