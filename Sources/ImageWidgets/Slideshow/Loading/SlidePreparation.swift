import VitrineConcurrency
import VitrineGraphics
import VitrineLoading

/// The next slide of a slideshow while it loads and until it is shown, and the shown slide while it loads for another
/// size or its backdrop is drawn.
final class SlidePreparation {
  /// The size for which slides are prepared; `nil` before the view has one.
  private(set) var size: SlideSize?
  /// The next slide, once it can be shown.
  private(set) var next: SlideImage?
  /// The load of the next slide. Goes on if that slide has no backdrop yet.
  private var load: SlideLoad?
  /// The load of another image of the shown slide.
  private var replacing: SlideLoad?
  private var observation: (downloader: ImageDownloader, observation: any Cancellable)?
  /// Called when the next slide can be shown or has failed.
  var onResult: (Result<Void, ImageError>) -> Void = { _ in }
  /// Called with the image of the shown slide in the new size, or over its backdrop; `nil` if the load has failed.
  var onReplacement: (SlideImage?) -> Void = { _ in }
  /// Called when the network has returned.
  var onConnectivity: () -> Void = {}

  /// True while the next slide is loading.
  var isLoading: Bool { load != nil }
  /// True while another image of the shown slide is loading.
  var isReplacing: Bool { replacing != nil }

  /// Loads a slide in place of the next one.
  ///
  /// - Parameters:
  ///   - isAwaited: True if no slide is shown.
  ///   - onBackdrop: Called when an awaited slide can be shown, and its backdrop is being drawn.
  func begin(
    _ slide: Slide, from downloader: ImageDownloader, isAwaited: Bool, onBackdrop: @escaping () -> Void
  ) {
    drop()
    guard let size else { return }
    observeConnectivity(of: downloader)
    let onWholeImage: (SlideLoad, SlideImage) -> Void = { [weak self] load, image in
      guard let self, load === self.load else { return }
      next = image
      onBackdrop()
      onResult(.success(()))
    }
    let load = SlideLoad(size, onWholeImage: isAwaited ? onWholeImage : nil) { [weak self] in
      self?.ended($0, $1)
    }
    self.load = load
    load.start(slide, from: downloader)
  }

  /// Drops the next slide.
  func drop() {
    load?.cancel()
    (load, next) = (nil, nil)
  }

  /// Returns the next slide and releases it. Its load goes on if it has no backdrop yet.
  func take() -> SlideImage? {
    // The slide that is about to be replaced needs no other image.
    endReplacing()
    (replacing, load) = (load, nil)
    defer { next = nil }
    return next
  }

  private func ended(_ ended: SlideLoad, _ result: SlideLoad.Result) {
    if ended === replacing {
      replacing = nil
      onReplacement(try? result.get())
    } else if ended === load {
      load = nil
      if case .success(let image) = result { next = image }
      onResult(result.map { _ in })
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
    endReplacing()
    return load != nil || next.map { new.needsAnother(than: $0) } == true
  }

  /// Loads the shown slide for the current size, without a failure: the image of the previous size stays.
  func resize(_ slide: Slide, from downloader: ImageDownloader) {
    guard let size else { return }
    let load = SlideLoad(size) { [weak self] in self?.ended($0, $1) }
    replacing = load
    load.start(slide, from: downloader)
  }

  /// Cancels the load of another image of the shown slide.
  func endReplacing() {
    replacing?.cancel()
    replacing = nil
  }
}
