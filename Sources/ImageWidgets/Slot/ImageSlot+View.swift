import VitrineGraphics
import VitrineLoading
import VitrineWidgets

// The events of the view, and what the slot draws over the view.

extension ImageSlot {
  /// Starts a load that has waited for a size, and loads the image again if the view has outgrown the shown image.
  func sizeDidChange() {
    // The target still has its previous image, so the size is compared once the new image is set.
    if isSettingTarget { state.checkSizeLater() } else { compareSize() }
  }

  /// Passes the size of the view to the state. Unlike `sizeDidChange()`, also while the image of the target is set.
  func compareSize() {
    liveStream?.fit(NeededSize(of: target))
    state.sizeChanged(in: scene, isRunning: state.load?.isRunning == true)
    performEffects()
  }

  /// Called when the view enters or leaves a window. The indicator runs on the window's time, and the needed size
  /// depends on the window's scale.
  func windowDidChange() {
    guard let window = target.view?.window else { return }
    // A cell requests its image before it is inserted into its list.
    if let load = state.load {
      let visibility = SlotVisibility(of: target.view)
      load.enteredWindow(at: window.now)
      load.move(to: visibility)
      if state.startedLoad != nil { announceLoad(load, visibility) }
    }
    if indicator?.window !== window { dropIndicator() }
    if let indicator { indicator.start() } else if let load = state.startedLoad { startIndicator(for: load) }
    sizeDidChange()
  }

  /// Called when the slot is drawn. Does not change the view tree.
  func wasDrawn() {
    state.wasDrawn()
    state.load?.move(to: .visible)
    recovery?.wasDrawn()
    liveStream?.wasDrawn()
  }

  /// Called when the view has been scrolled off the screen.
  func didLeaveScreen() { state.load?.move(to: .left) }

  /// Tells the window that a slot on the screen has begun to load its image. Does nothing if the slot shows an older or
  /// smaller variant of the image.
  ///
  /// In real time, the slot is drawn with the next frame even if nothing has changed, because an image that arrives
  /// later is one that the user has waited for.
  func announceLoad(_ load: SlotLoad, _ visibility: SlotVisibility) {
    guard visibility == .visible, !load.slotRequest.hasImage, let view = target.view, let window = view.window
    else { return }
    window.loadDidBegin()
    if window.isInRealTime, target.isShowing { view.setNeedsDisplay() }
  }

  // MARK: Diagnostic report

  /// Draws the source and loading time of the image over the view, if the target is visible in the view's current
  /// state.
  func drawReport(over view: View, into list: inout DrawList) {
    guard target.isShowing, let report = state.report else { return }
    report.draw(
      in: target.rect, cornerRadius: target.cornerRadius, of: view, liveStream?.statistics, into: &list)
  }

  // MARK: Indicator

  /// Shows the indicator of a load, in place of the previous one. A load for a larger or refreshed variant needs no
  /// indicator: an image is shown already.
  func startIndicator(for load: SlotLoad) {
    dropIndicator()
    let options = load.slotRequest.options
    // A load that is resumed or enters another window may show a preview by now.
    let image = state.imageWithoutPreview(in: scene)
    guard !load.slotRequest.hasImage, options.indicator.isShown(over: image),
      let window = target.view?.window
    else { return }
    indicator = SlotIndicator(slot: self, indicator: options.indicator, in: window)
    indicator?.report(load.task?.progress.fraction)
    indicator?.start()
  }

  /// Fades the indicator out. In real time, an indicator that was never drawn does not appear for its minimum duration.
  func endIndicator(isLoaded: Bool) {
    guard let window = target.view?.window, let indicator, indicator.window === window,
      indicator.wasDrawn || !window.isInRealTime
    else { return dropIndicator() }
    indicator.end(isLoaded: isLoaded)
  }

  private func dropIndicator() {
    // Released when the access has ended, because a deinit of the application may call the slot.
    let dropped = indicator.take()
    dropped?.stop()
  }

  func indicatorDidChange() { if target.isShowing { target.view?.setNeedsDisplay(target.rect) } }

  func indicatorDidEnd(_ ended: SlotIndicator) { if indicator === ended { indicator = nil } }

  /// True if the target is displayed in the view's current state and the indicator is visible at the time `now`.
  func isIndicatorVisible(at now: Double) -> Bool {
    target.isShowing && indicator?.isVisible(at: now) == true
  }

  func drawIndicator(over view: View, at now: Double, into list: inout DrawList) {
    indicator?.draw(in: target.rect, of: view, at: now, into: &list)
  }
}
