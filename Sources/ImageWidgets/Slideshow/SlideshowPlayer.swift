import VitrineGraphics
import VitrineLoading
import VitrineWidgets

/// Plays a slideshow in its view: performs the actions of the plan, and requests frames while something is due or moves.
final class SlideshowPlayer {
  private(set) var plan = SlideshowPlan()
  private(set) var stage = SlideStage()
  private(set) var slides = Slides([])
  var transition = Transition.crossDissolve(1) { didSet { settingsDidChange() } }
  var secondsPerImage = 10.0 { didSet { settingsDidChange() } }
  var motion = SlideMotion.none { didSet { sizeMayHaveChanged() } }
  var order = SlideOrder.list { didSet { if order != oldValue { beginOrder() } } }

  /// The transition to a backdrop that was not there when the first slide was drawn, and to a newer image of the shown
  /// slide.
  private static let replacementTransition = Transition.crossDissolve(0.3)

  private struct Shown {
    var slide: Slide
    /// The index in the list; `nil` if the slide is no longer in the list.
    var index: Int?

    /// Takes over another index, and the slide that the new list has there.
    mutating func move(to index: Int?, in slides: Slides) {
      self.index = index
      if let index { slide = slides[index] }
    }
  }

  /// The slide that was shown last.
  private var latest: Shown?
  /// The outgoing slide of a transition until the middle, as long as more of it is visible than of the latest one.
  private var outgoing: Shown?
  /// A newer image of the latest slide, which waits for the end of the transition to the slide.
  private var newImage: SlideImage?
  private let preparation = SlidePreparation()
  private weak var view: SlideshowView?
  private var shownCount = 0
  private var wasDrawn = false
  /// The next slide, if its texture was made for the present size of the view.
  private weak var uploaded: SlideImage?
  /// The time before which no texture is made, because the size of the view may change with each frame.
  private var uploadStart = 0.0
  /// The number of seconds after a change of the size until a texture is made.
  private static let secondsUntilSizeRests = 0.25
  /// True while the view counts as loading its first image.
  private var isPending = false
  private let timer = SlideFrames(keepsBusy: false) { player, now in
    player.step(at: now)
    return player.plan.deadline.map { .at($0) } ?? .never
  }
  private let changing = SlideFrames(keepsBusy: true) { player, now in
    player.step(at: now)
    return player.stage.isChanging ? .soon : .never
  }
  private let moving = SlideFrames(keepsBusy: false) { player, now in
    player.step(at: now)
    return player.isMoving(at: now) ? .soon : .never
  }
  private let uploading = SlideFrames(keepsBusy: false) { player, _ in
    player.prepareTexture()
    return .never
  }

  init(view: SlideshowView) {
    self.view = view
    for frames in [timer, changing, moving, uploading] { frames.player = self }
    preparation.onResult = { [weak self] in self?.didPrepare($0) }
    preparation.onReplacement = { [weak self] in self?.replaceShown(by: $0, isNew: $1) }
    preparation.isOnScreen = { [weak view] in view?.isOnScreen == true }
    preparation.onConnectivity = { [weak self] in self?.networkDidReturn() }
    settingsDidChange()
  }

  /// True while an image is loading that is not shown yet, and while the backdrop of the shown image is being drawn.
  var isPreparing: Bool { plan.loading != nil || preparation.isLoading || preparation.isReplacing }

  /// The slide that is more visible than the other one of a transition.
  var shownSlide: Slide? { (outgoing ?? latest)?.slide }
  var shownIndex: Int? { (outgoing ?? latest)?.index }

  // MARK: Inputs

  func setSlides(_ new: Slides, _ given: ListChanges?) {
    let old = slides
    slides = new
    if old.isEmpty { return beginOrder() }
    let isValid = given?.oldCount == old.count && given?.newCount == new.count
    let changes = given.flatMap { isValid ? $0 : nil } ?? ListChanges(from: old.urls, to: new.urls)
    plan.apply(changes) { new[$0].weight }
    latest?.move(to: plan.shown, in: new)
    let moved = outgoing?.index.flatMap(changes.newRow)
    outgoing?.move(to: moved, in: new)
    // A slide without an index cannot be reported in the middle of its transition.
    if latest?.index == nil { outgoing = nil }
    update()
  }

  private func beginOrder() {
    let slides = slides
    plan.setSequence(order.sequence(count: slides.count) { slides[$0].weight }, count: slides.count)
    update()
  }

  func showNext() {
    plan.showNext()
    update()
  }

  func showPrevious() {
    plan.showPrevious(at: currentTime)
    update()
  }

  func reload() {
    plan.reload(at: currentTime)
    update()
  }

  func setPaused(_ isPaused: Bool, _ reason: SlideshowPlan.Pause) {
    pause(isPaused, reason, at: currentTime)
    update()
  }

  private func pause(_ isPaused: Bool, _ reason: SlideshowPlan.Pause, at now: Double) {
    plan.setPaused(isPaused, reason, at: now)
    stage.setRunning(plan.pauses.isEmpty, at: now)
  }

  private func settingsDidChange() {
    plan.secondsPerImage = secondsPerImage > 0.1 ? secondsPerImage : 0.1
    plan.transitionSeconds = transition.isAnimated ? transition.duration : 0
    update()
  }

  private func networkDidReturn() {
    plan.retryFailures(at: currentTime)
    update()
  }

  // MARK: The view

  /// Begins in a window, and stops outside of one.
  func windowDidChange() {
    guard view?.window != nil else { return leaveScreen(at: currentTime) }
    sizeMayHaveChanged()
    update()
  }

  /// Prepares the slides for another size of the view in pixels.
  func sizeMayHaveChanged() {
    guard let view, let window = view.window else { return }
    let new = SlideSize(view.bounds.size, scale: window.scale, zoom: motion.largestZoom)
    guard let new, new != preparation.size else { return }
    if preparation.resize(to: new) { plan.prepareAgain() }
    if let slide = latest?.slide, let image = newImage ?? stage.shown?.image, new.needsAnother(than: image) {
      preparation.resize(slide, from: view.currentDownloader, isUpdate: newImage != nil)
      newImage = nil
    }
    update()
    uploaded = nil
    if wasDrawn { uploadStart = currentTime + Self.secondsUntilSizeRests }
    requestUpload(at: currentTime, in: window)
  }

  /// Draws the slides. A view that is drawn again continues.
  func draw(_ placeholder: DrawList.ImageCommand?, into list: inout DrawList) {
    guard let view, let window = view.window else { return }
    wasDrawn = true
    preparation.wasDrawn()
    if !stage.isChanging { requestUpload(at: window.now, in: window) }
    stage.draw(
      in: view.bounds, at: window.now, scale: window.scale, placeholder: placeholder, into: &list)
    if plan.pauses.contains(.offScreen) { timer.request(at: window.now, in: window) }
  }

  // MARK: Time

  /// The host's time, which is later than that of the window between two frames.
  private var currentTime: Double {
    view?.window.map { max($0.now, $0.hostTime?() ?? $0.now) } ?? 0
  }

  /// Performs what is due, and requests the next frames.
  private func update() {
    guard let window = view?.window, preparation.size != nil else { return }
    let now = currentTime
    performActions(at: now)
    timer.request(at: plan.deadline, in: window)
    requestFrames(at: now, in: window)
  }

  private func requestFrames(at time: Double, in window: Window) {
    if stage.isChanging { changing.request(at: time, in: window) }
    if isMoving(at: window.now) { moving.request(at: time, in: window) }
  }

  /// Advances the slideshow in a frame.
  private func step(at now: Double) {
    guard let view, let window = view.window, view.isOnScreen else { return leaveScreen(at: now) }
    if plan.pauses.contains(.offScreen) { pause(false, .offScreen, at: now) }
    let wasChanging = stage.isChanging
    let wasMoving = wasChanging || isMoving(at: now)
    performActions(at: now)
    stage.step(at: now)
    reportShown()
    showNewImage()
    if wasMoving || stage.isChanging { view.setNeedsDisplay() }
    let next = window.frameTime(after: now)
    requestFrames(at: next, in: window)
    // Not in this frame: an upload would delay the last image of the transition.
    if wasChanging, !stage.isChanging { requestUpload(at: next, in: window) }
  }

  private func isMoving(at now: Double) -> Bool {
    plan.pauses.isEmpty && stage.shown?.isMoving(at: now) == true
  }

  /// Stops the time until the view is drawn again.
  private func leaveScreen(at now: Double) {
    pause(true, .offScreen, at: now)
    stage.endTransition()
    reportShown()
    showNewImage()
    if let window = view?.window { timer.request(at: nil, in: window) }
    uploaded = nil
  }

  // MARK: Actions

  /// Performs the actions of the plan. Handlers that are called may call the view again.
  private func performActions(at now: Double) {
    while let action = plan.nextAction(at: now) {
      switch action {
      case .load(let index): prepare(index)
      case .drop: preparation.drop()
      case .show(let index): show(index, at: now)
      case .clear: clear()
      }
    }
    let waits = plan.showsSlide ? awaitsBackdrop : preparation.isLoading
    if waits != isPending { view?.pendingSlots += waits ? 1 : -1 }
    isPending = waits
  }

  private func prepare(_ index: Int) {
    guard let view else { return }
    let isAwaited = !plan.showsSlide
    let announce: () -> Void = { [weak view] in view?.window?.loadDidBegin() }
    if isAwaited { announce() }
    preparation.begin(
      slides[index], from: view.currentDownloader, isAwaited: isAwaited, onBackdrop: announce)
  }

  private func didPrepare(_ result: Result<Void, ImageError>) {
    // A slide that could be shown without its backdrop has been reported before.
    if let index = plan.loading {
      switch result {
      case .success: plan.didLoad()
      case .failure(let error):
        let slide = slides[index]
        plan.didFail(at: currentTime)
        view?.onFailure?(slide, index, error)
      }
    }
    update()
    if let window = view?.window { requestUpload(at: currentTime, in: window) }
  }

  // MARK: Textures

  /// Requests a frame in which the texture of the next slide is made, unless there is one.
  private func requestUpload(at time: Double, in window: Window) {
    guard let next = preparation.next, next !== uploaded else { return }
    uploading.request(at: max(time, uploadStart), in: window)
  }

  /// Makes the texture of the next slide, so that the first frame of its transition is not late. During a transition, and
  /// while the view is not on the screen, nothing is made: the end of the transition, or the next frame that is drawn,
  /// requests the texture again.
  private func prepareTexture() {
    guard let view, let window = view.window, view.isOnScreen, wasDrawn, !stage.isChanging,
      let image = preparation.next, image !== uploaded
    else { return }
    uploaded = image
    var command = staged(image, at: currentTime).command(in: view.bounds, at: currentTime)
    command.destination.origin = view.convertToWindow(command.destination.origin)
    window.prepareImage?(command)
  }

  // MARK: Showing

  /// Returns the slide that shows an image and begins to move at a time.
  private func staged(_ image: SlideImage, at now: Double) -> StagedSlide {
    let seconds = plan.secondsPerImage + 2 * plan.transitionSeconds
    return StagedSlide(
      image: image, number: shownCount, movement: motion == .none ? nil : seconds,
      clock: SlideClock(at: now, isRunning: plan.pauses.isEmpty))
  }

  private func show(_ index: Int, at now: Double) {
    guard let image = preparation.take() else { return }
    let previous = outgoing ?? latest
    newImage = nil
    stage.show(staged(image, at: now), with: appearsAtOnce ? .none : transition)
    shownCount &+= 1
    latest = Shown(slide: slides[index], index: index)
    outgoing = stage.showsOutgoing ? previous : nil
    view?.setNeedsDisplay()
    if outgoing == nil { view?.onShow?(slides[index], index) }
  }

  /// Reports the latest slide in the middle of its transition.
  private func reportShown() {
    guard outgoing != nil, !stage.showsOutgoing else { return }
    outgoing = nil
    if let latest, let index = latest.index { view?.onShow?(latest.slide, index) }
  }

  /// True while the shown slide has no backdrop yet, because its image was there before.
  private var awaitsBackdrop: Bool {
    preparation.isReplacing && stage.shown?.image.placement == .whole
  }

  /// Replaces the image of the shown slide, which stays if the load of another one has failed.
  ///
  /// - Parameter isNew: True for an image with other contents.
  private func replaceShown(by image: SlideImage?, isNew: Bool) {
    if isNew, stage.isChanging {
      newImage = image ?? newImage
    } else if let image {
      newImage = nil
      let fades =
        (isNew || stage.shown?.image.placement == .whole) && wasDrawn && transition.isAnimated
        && view?.isOnScreen == true
      stage.replaceShown(by: image, with: fades ? Self.replacementTransition : .none)
      view?.setNeedsDisplay()
    }
    update()
  }

  /// Shows the newer image of the slide whose transition has ended.
  private func showNewImage() {
    guard !stage.isChanging, let image = newImage else { return }
    newImage = nil
    replaceShown(by: image, isNew: true)
  }

  /// True for a first slide that is ready before the view is drawn, as on a second start. If a program advances the time,
  /// that would depend on the speed of loading.
  private var appearsAtOnce: Bool {
    stage.shown == nil && !wasDrawn && view?.window?.isInRealTime == true
  }

  private func clear() {
    (latest, outgoing, newImage) = (nil, nil, nil)
    preparation.dropShown()
    stage.show(nil, with: transition)
    view?.setNeedsDisplay()
  }
}
