import VitrineConcurrency
import VitrineGraphics
import VitrineLoading

/// The next slide of a slideshow while it loads and until it is shown, and the shown slide while it loads for another
/// size, its backdrop is drawn, or its server is asked whether it has changed.
final class SlidePreparation {
  /// The size for which slides are prepared; `nil` before the view has one.
  private(set) var size: SlideSize?
  /// The next slide, once it can be shown.
  private(set) var next: SlideImage?
  /// The load of the next slide. Goes on if that slide has no backdrop yet.
  private var load: SlideLoad?
  /// The load of another image of the shown slide.
  private var replacing: SlideLoad?
  /// The next and the shown slide, and the requests to their servers if the images are stale.
  private var nextSource: Source?
  private var shownSource: Source?
  private var observation: (downloader: ImageDownloader, observation: any Cancellable)?
  /// Called when the next slide can be shown or has failed.
  var onResult: (Result<Void, ImageError>) -> Void = { _ in }
  /// Called with the image of the shown slide in the new size, over its backdrop, or as its server has it now; `nil` if
  /// the load has failed. `isNew` is true for an image with other contents.
  var onReplacement: (_ image: SlideImage?, _ isNew: Bool) -> Void = { _, _ in }
  /// Returns true if the slideshow is on the screen.
  var isOnScreen: () -> Bool = { false }
  /// Called when the network has returned.
  var onConnectivity: () -> Void = {}

  private struct Source {
    let slide: Slide
    let downloader: ImageDownloader
    var update: SlideUpdate?
    /// True while the image is loaded again because the server has sent another one.
    var isUpdating = false
  }

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
    nextSource = Source(slide: slide, downloader: downloader)
    observeConnectivity(of: downloader)
    let onWholeImage: (SlideLoad, SlideImage) -> Void = { [weak self] load, image in
      guard let self, load === self.load else { return }
      next = image
      onBackdrop()
      onResult(.success(()))
    }
    let load = newLoad(size, onWholeImage: isAwaited ? onWholeImage : nil)
    self.load = load
    load.start(slide, from: downloader)
  }

  /// Drops the next slide.
  func drop() {
    load?.cancel()
    (load, next, nextSource) = (nil, nil, nil)
  }

  /// Drops what is under way for the shown slide.
  func dropShown() {
    endReplacing()
    shownSource = nil
  }

  /// Returns the next slide and releases it. Its load goes on if it has no backdrop yet.
  func take() -> SlideImage? {
    // The slide that is about to be replaced needs no other image.
    dropShown()
    (replacing, load) = (load, nil)
    (shownSource, nextSource) = (nextSource, nil)
    defer { next = nil }
    return next
  }

  private func newLoad(
    _ size: SlideSize, onWholeImage: ((SlideLoad, SlideImage) -> Void)? = nil
  ) -> SlideLoad {
    SlideLoad(size, onWholeImage: onWholeImage) { [weak self] in self?.ended($0, $1) }
  }

  private func ended(_ ended: SlideLoad, _ result: SlideLoad.Result) {
    if ended === replacing {
      replacing = nil
      let isNew = shownSource?.isUpdating == true
      shownSource?.isUpdating = false
      if case .success = result { askServer(about: ended, \.shownSource) }
      onReplacement(try? result.get(), isNew)
    } else if ended === load {
      load = nil
      let isUpdate = nextSource?.isUpdating == true
      nextSource?.isUpdating = false
      if case .success(let image) = result {
        next = image
        askServer(about: ended, \.nextSource)
      }
      // A failed update leaves the image that was ready.
      onResult(isUpdate && next != nil ? .success(()) : result.map { _ in })
    }
  }

  // MARK: Stale images

  /// Asks the server about the image of a load if that is stale. The slide is replaced when another image has come.
  private func askServer(
    about load: SlideLoad, _ source: ReferenceWritableKeyPath<SlidePreparation, Source?>
  ) {
    guard let size, let downloader = self[keyPath: source]?.downloader else { return }
    self[keyPath: source]?.update = load.stale.map {
      SlideUpdate($0, size: size, from: downloader, isOnScreen: isOnScreen) { [weak self] in
        self?.replace($0, by: $1)
      }
    }
  }

  /// Called when the slideshow is drawn.
  func wasDrawn() {
    shownSource?.update?.wasDrawn()
    nextSource?.update?.wasDrawn()
  }

  /// Makes the slide again, of another image. The next slide may have become the shown one since the server was asked.
  private func replace(_ update: SlideUpdate, by image: Image) {
    if update === shownSource?.update {
      endReplacing()
      shownSource?.isUpdating = true
      replacing = newLoad(of: shownSource, with: image, of: update.size)
    } else if update === nextSource?.update {
      load?.cancel()
      nextSource?.isUpdating = true
      load = newLoad(of: nextSource, with: image, of: update.size)
    }
  }

  /// Begins to make a slide of an image, or to load it if another size is needed by now.
  private func newLoad(of source: Source?, with image: Image, of imageSize: SlideSize) -> SlideLoad? {
    guard let size, let source else { return nil }
    let load = newLoad(size)
    if imageSize == size {
      load.start(with: image, from: source.downloader)
    } else {
      load.start(source.slide, from: source.downloader)
    }
    return load
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
    if let source = shownSource, source.isUpdating { resize(source.slide, from: source.downloader) }
    return load != nil || next.map { new.needsAnother(than: $0) } == true
  }

  /// Loads the shown slide for the current size, without a failure: the image of the previous size stays.
  ///
  /// - Parameter isUpdate: True if another image than the one on the screen is expected.
  func resize(_ slide: Slide, from downloader: ImageDownloader, isUpdate: Bool = false) {
    guard let size else { return }
    if isUpdate { shownSource?.isUpdating = true }
    let load = newLoad(size)
    replacing = load
    load.start(slide, from: downloader)
  }

  /// Cancels the load of another image of the shown slide.
  func endReplacing() {
    replacing?.cancel()
    replacing = nil
  }
}
