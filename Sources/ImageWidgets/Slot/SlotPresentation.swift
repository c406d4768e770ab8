import VitrineGraphics
import VitrineLoading
import VitrineWidgets

/// The image that a slot shows, in its target or by a custom presentation (`SlotOptions.showsImage`), and the preview
/// shown while loading.
struct SlotPresentation {
  typealias Show = @MainActor (View, Image?) -> Void

  private struct Custom {
    let show: Show
    let image: Image?
  }

  private struct TargetImage {
    let image: Image?
    let transition: Transition
  }

  /// A call of a custom presentation, and the custom presentation that it replaces.
  private struct Call {
    let show: Show
    let image: Image?
    var replaced: Show?
  }

  /// The current custom presentation and its last image; `nil` if images are shown in the target.
  private var custom: Custom?
  private var preview: SlotPreview?
  /// True if the slot has been drawn since the current request began.
  private var isDrawn = false
  /// Effects that have not been performed. A later decision replaces an earlier one.
  private var targetImage: TargetImage?
  private var cleared: Show?
  private var presented: Call?
  private var awaitedImage: Image?

  var hasPreview: Bool { preview != nil }

  /// The image that the slot shows once all effects are performed, where `scene` has the image of the target.
  func image(in scene: SlotScene) -> Image? {
    if let custom { custom.image } else { imageOfTarget(in: scene) }
  }

  /// The image that the slot shows, or that was shown before the first preview.
  func imageWithoutPreview(in scene: SlotScene) -> Image? {
    if let preview, hasKept(preview.image, in: scene) { preview.before } else { image(in: scene) }
  }

  private func imageOfTarget(in scene: SlotScene) -> Image? {
    if let targetImage { targetImage.image } else { scene.image }
  }

  /// True if `image` has not been replaced by code outside the slot. Always true for a custom presentation, where the
  /// slot cannot know.
  func hasKept(_ image: Image, in scene: SlotScene) -> Bool {
    custom != nil || imageOfTarget(in: scene) === image
  }

  mutating func wasDrawn() { isDrawn = true }

  /// True if the user has seen the slot without the image of `response`.
  ///
  /// If a program advances the time, only an image whose decoded pixels were on disk counts as not waited for, and an
  /// animation whose first frame was there: hosts wait for such an image, while the time at which any other image
  /// arrives depends on the speed of the machine. An animation that is decoded soon arrives before its first frame is
  /// delivered.
  func hasWaited(for response: ImageResponse, in scene: SlotScene) -> Bool {
    isDrawn || preview != nil
      || !scene.isInRealTime && !response.isFromPixelCache && !response.hasStoredFirstFrame
  }

  // MARK: Images

  /// Shows nothing, in the target and by the custom presentation.
  mutating func clear() {
    preview = nil
    show(nil, by: nil, transition: .none)
  }

  /// Begins a request: removes the preview of the previous request. The image before the preview is restored if the new
  /// request keeps the shown image.
  mutating func begin(_ options: SlotOptions, in scene: SlotScene) {
    if !options.setsImage || options.placeholderPolicy == .keepsPrevious { takeBackPreview(in: scene) }
    preview = nil
    isDrawn = false
  }

  /// Shows the content for the time until the image arrives, according to `placeholderPolicy`.
  mutating func showPlaceholder(_ placeholder: Image?, _ options: SlotOptions, in scene: SlotScene) {
    guard options.setsImage else { return }
    switch options.placeholderPolicy {
    case .whileLoading: show(placeholder, by: options.showsImage, transition: .none)
    case .onFailure, .never: show(nil, by: options.showsImage, transition: .none)
    case .keepsPrevious:
      if image(in: scene) == nil { show(placeholder, by: options.showsImage, transition: .none) }
    }
  }

  /// Shows the image of a response. A larger variant, and the final image after its preview, do not slide in over
  /// themselves.
  ///
  /// - Parameters:
  ///   - isVariant: True if the slot shows another variant of the image.
  ///   - hasWaited: True if the user has seen the slot without the image.
  ///   - isContinued: True if the slot shows the first frame of the animation, so that there is nothing to fade.
  mutating func show(
    _ response: ImageResponse, _ options: SlotOptions, isVariant: Bool, hasWaited: Bool = true,
    isContinued: Bool = false
  ) {
    guard options.setsImage else { return }
    let transition =
      isContinued ? .none : options.transition(for: response.source, hasWaited: hasWaited)
    let dissolves = (isVariant || preview != nil) && transition.isAnimated
    preview = nil
    show(response.image, by: options.showsImage, transition: dissolves ? .crossDissolve : transition)
  }

  /// Shows the next image of a live stream, without a transition.
  mutating func showNext(_ image: Image, _ options: SlotOptions) {
    guard options.setsImage else { return }
    show(image, by: options.showsImage, transition: .none)
  }

  /// Shows the failure image, or the placeholder, or the image before the preview.
  mutating func showFailure(_ placeholder: Image?, _ options: SlotOptions, in scene: SlotScene) {
    guard options.setsImage else { return }
    if let failureImage = options.failureImage {
      preview = nil
      show(failureImage, by: options.showsImage, transition: options.transition)
    } else if options.placeholderPolicy == .onFailure {
      preview = nil
      show(placeholder, by: options.showsImage, transition: .none)
    } else {
      takeBackPreview(
        in: scene, transition: options.transition(for: .network).isAnimated ? .crossDissolve : .none)
    }
  }

  /// Shows the failure of a refused source. Without a source, the slot is cleared regardless of the placeholder policy.
  mutating func showRefusal(_ placeholder: Image?, _ options: SlotOptions, isNil: Bool, in scene: SlotScene) {
    guard options.setsImage else { return takeBackPreview(in: scene) }
    guard options.placeholderPolicy == .keepsPrevious, !isNil else {
      preview = nil
      return show(
        options.placeholderPolicy == .never ? nil : placeholder, by: options.showsImage, transition: .none)
    }
    if let failureImage = options.failureImage {
      preview = nil
      return show(failureImage, by: options.showsImage, transition: options.transition)
    }
    takeBackPreview(in: scene)
    if image(in: scene) == nil { show(placeholder, by: options.showsImage, transition: .none) }
  }

  // MARK: Previews

  /// Shows a preview with a cross-dissolve of 0.4 s, or at once if images from the network have no transition; the
  /// transition that the options name is for the final image only. During the transition to a preview, only the latest
  /// further preview is kept; it is shown at the end of the transition.
  mutating func showPreview(_ image: Image, _ options: SlotOptions, in scene: SlotScene) {
    guard let shown = preview?.image else {
      preview = SlotPreview(image, insteadOf: self.image(in: scene))
      return showPreview(options)
    }
    if preview?.append(image) == true { awaitedImage = shown }
  }

  /// Shows the latest preview, if the transition to the preview `image` has ended.
  mutating func transitionEnded(to image: Image, _ options: SlotOptions) {
    if preview?.image === image, preview?.advance() == true { showPreview(options) }
  }

  private mutating func showPreview(_ options: SlotOptions) {
    let isAnimated = options.transition(for: .network).isAnimated
    show(preview?.image, by: options.showsImage, transition: isAnimated ? .preview : .none)
  }

  /// Restores the image that was shown before the first preview, unless other code has replaced the preview.
  mutating func takeBackPreview(in scene: SlotScene, transition: Transition = .none) {
    guard let preview else { return }
    self.preview = nil
    if hasKept(preview.image, in: scene) { show(preview.before, by: custom?.show, transition: transition) }
  }

  // MARK: Effects

  private mutating func show(_ image: Image?, by show: Show?, transition: Transition) {
    let previous = custom?.show
    custom = show.map { Custom(show: $0, image: image) }
    if let show {
      if previous == nil { targetImage = TargetImage(image: nil, transition: .none) }
      presented = Call(show: show, image: image, replaced: previous)
    } else {
      targetImage = TargetImage(image: image, transition: transition)
      presented = nil
      if let previous { cleared = previous }
    }
  }

  /// Returns the next effect on the target.
  mutating func nextEffect() -> SlotEffect? {
    if let new = targetImage.take() { return .show(new.image, new.transition) }
    return awaitedImage.take().map { .awaitTransition(to: $0) }
  }

  /// Returns the next call of a custom presentation.
  mutating func nextCall() -> SlotEffect? {
    if let show = cleared.take() { return .present(show, nil, replaced: nil) }
    return presented.take().map { .present($0.show, $0.image, replaced: $0.replaced) }
  }
}
