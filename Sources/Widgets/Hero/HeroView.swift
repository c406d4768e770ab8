public import VitrineGraphics

/// A view over the whole window that shows one image, or pages of images, which grows from a tile and returns into it.
///
/// ```swift
/// let hero = HeroView(content: zoomView) { zoomView.contents }
/// hero.open(from: HeroTile(frame: cell.frameInWindow, cornerRadius: 6), in: window)
/// ```
///
/// While the image moves, only the image is drawn, and `content` takes its place at the end. A drag downwards, or
/// Escape, puts the image back; each movement can be interrupted by the next. Keys are passed to `content`.
public final class HeroView: View {
  /// The stages of the view.
  public enum Stage: Hashable, Sendable {
    /// Not shown.
    case closed
    /// On the way to the whole window, or back there after a drag that was too short.
    case opening
    /// The content is shown.
    case open
    /// Pulled by a finger.
    case dragged
    /// On the way back to a tile.
    case closing
  }

  /// The view that is shown when the image has arrived. It fills this view.
  public let content: View
  /// The present stage.
  public private(set) var stage = Stage.closed {
    didSet { if stage != oldValue { onStageChange?(stage) } }
  }
  /// The color of the background; black by default.
  public var veilColor = Color.black { didSet { setNeedsDisplay() } }
  /// Called each time the stage changes. The view has left its window when the stage is `.closed`.
  public var onStageChange: ((Stage) -> Void)?
  /// Returns the tile into which the image returns, when the view begins to close; `nil`, the default, and a result of
  /// `nil` let it fade where it is.
  public var tileToReturnTo: (() -> HeroTile?)?
  /// Returns true if a drag downwards may put the image back, for example only while the image is not enlarged. By
  /// default always.
  public var allowsDrag: () -> Bool = { true }

  /// Returns the frame in which `content` shows the image, in this view's coordinates, from which the image returns; by
  /// default `nil`, for the largest frame that fits.
  public var imageFrame: () -> Rect? = { nil }

  private let image: () -> Image?
  private var pose = HeroPose(fitting: .zero, in: .zero)
  private var flight: HeroFlight?
  private var drag: HeroDrag?
  /// The fingers that are down and have not been claimed by the content.
  private var fingers: Set<Int64> = []

  /// Creates a view that is not in a window yet.
  ///
  /// - Parameters:
  ///   - content: The view that is shown when the image has arrived.
  ///   - image: Returns the image that `content` shows, in the best quality there is at the moment.
  public init(content: View, image: @escaping () -> Image?) {
    self.content = content
    self.image = image
    super.init()
    content.isHidden = true
    addSubview(content)
  }

  // MARK: Opening and closing

  /// Adds the view to a window, in front of everything, and lets the image grow from a tile. Without a tile, or without
  /// an image yet, the content appears at once.
  public func open(from tile: HeroTile?, in window: Window) {
    guard stage == .closed else { return }
    frame = window.bounds
    window.addSubview(self)
    layoutIfNeeded()
    guard let tile, let whole = wholePose else { return show() }
    pose = HeroPose(tile, in: bounds)
    fly(to: whole, as: .opening)
  }

  /// Lets the image return into its tile. The view then leaves its window.
  public func close() {
    guard stage != .closed, stage != .closing else { return }
    // A finger that is down moves the image no more, nor does lifting the finger bring the image back.
    drag = nil
    if stage == .open, let whole = wholePose {
      pose = whole
      if let frame = imageFrame(), !frame.isEmpty { pose.frame = frame }
    }
    var goal = tileToReturnTo?().map { HeroPose($0, in: bounds) }
    if goal == nil {
      goal = pose
      goal?.veil = 0
    }
    guard let goal, wholePose != nil else { return end() }
    fly(to: goal, as: .closing)
  }

  /// Draws the image again if a finger rests on it. Call this method when `content` shows another image, for example
  /// because the sharp one has arrived. In other stages this is not necessary.
  public func imageDidChange() { if stage == .dragged { setNeedsDisplay() } }

  /// The pose of the whole image; `nil` without an image.
  private var wholePose: HeroPose? {
    guard let image = image(), !bounds.isEmpty else { return nil }
    return HeroPose(
      fitting: Size(width: Double(image.sourceWidth), height: Double(image.sourceHeight)), in: bounds)
  }

  private func fly(to goal: HeroPose, as stage: Stage) {
    guard let window else { return stage == .closing ? end() : show() }
    content.isHidden = true
    flight = HeroFlight(from: pose, to: goal, at: window.now)
    self.stage = stage
    setNeedsDisplay()
    window.requestFrames(for: self, at: window.now)
  }

  private func show() {
    flight = nil
    drag = nil
    content.isHidden = false
    setNeedsDisplay()
    stage = .open
  }

  private func end() {
    flight = nil
    drag = nil
    window?.cancelFrames(for: self)
    removeFromSuperview()
    stage = .closed
  }

  public override func didMoveToWindow() {
    super.didMoveToWindow()
    // Removed by the application in the middle of a movement.
    guard window == nil else { return }
    fingers = []
    guard stage != .closed else { return }
    flight = nil
    drag = nil
    stage = .closed
  }

  /// Keeps the content as large as the view. The size of the window may change during a movement.
  public override func layoutSubviews() {
    content.frame = bounds
    if stage == .opening, let whole = wholePose { flight?.goal = whole }
    if stage == .closing, let tile = tileToReturnTo?() { flight?.goal = HeroPose(tile, in: bounds) }
  }

  // MARK: Drawing

  public override func draw(into list: inout DrawList) {
    let veil = stage == .open ? 1 : pose.veil
    list.fill(bounds, color: veilColor.multiplyingAlpha(by: veil))
    guard stage != .open, stage != .closed, let image = image() else { return }
    let layout = ContentMode.fill.layout(
      pixelWidth: image.pixelWidth, pixelHeight: image.pixelHeight, size: image.size, in: pose.frame)
    guard !layout.destination.isEmpty else { return }
    // Without a tile to return to, the image fades together with the background.
    let opacity = stage == .closing && flight?.isFading == true ? pose.veil : pose.opacity
    list.draw(
      DrawList.ImageCommand(
        image: image, source: layout.source, destination: layout.destination, opacity: opacity,
        cornerRadius: pose.cornerRadius, isMoving: true))
  }

  // MARK: Drags

  public override var observesDescendantTouches: Bool { true }

  /// Follows a finger that pulls the image down, unless the content has claimed the touch.
  public override func observeTouch(_ touch: Touch) {
    switch touch.phase {
    case .began: begin(touch)
    case .moved:
      guard var current = drag, current.isOf(touch) else { return }
      current.move(touch)
      drag = current
      if !current.isPulling, current.beginsToPull, allowsDrag(), let whole = stage == .open ? wholePose : pose
      {
        drag?.beginPulling(whole)
        window?.claim(touch, by: self)
        content.isHidden = true
        flight = nil
        stage = .dragged
      }
      if let start = drag?.start, drag?.isPulling == true {
        pose = start.pulled(by: current.distance, from: touch.startLocation, height: bounds.height)
        setNeedsDisplay()
      }
    case .ended: lift(touch, isCancelled: false)
    case .cancelled: lift(touch, isCancelled: true)
    }
  }

  /// Two fingers belong to the content. A second finger does not disturb the one that pulls.
  private func begin(_ touch: Touch) {
    fingers.insert(touch.id)
    guard drag?.isPulling != true else { return }
    drag = fingers.count == 1 ? HeroDrag(touch) : nil
  }

  private func lift(_ touch: Touch, isCancelled: Bool) {
    fingers.remove(touch.id)
    guard let ended = drag, ended.isOf(touch) else { return }
    drag = nil
    guard stage != .closing else { return }
    let closes = !isCancelled && HeroPose.closes(pulledBy: ended.distance.y, velocity: ended.velocity.y)
    guard ended.isPulling else {
      // Without an image, nothing follows the finger.
      if closes, ended.beginsToPull, image() == nil, allowsDrag() { close() }
      return
    }
    if closes {
      close()
    } else if let whole = wholePose {
      fly(to: whole, as: .opening)
    } else {
      show()
    }
  }

  // MARK: Keys

  /// True: keys go to the content, not to the views behind.
  public override var takesUnclaimedKeys: Bool { true }

  /// Escape and Backspace put the image back; other keys are passed to the content. Only function keys reach the views
  /// behind.
  public override func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool {
    if key == .escape || key == .backspace {
      close()
      return true
    }
    if case .function = key { return false }
    if stage == .open { _ = content.keyDown(key, modifiers: modifiers) }
    return true
  }

  /// No touch reaches the views behind.
  public override func touchBegan(_ touch: Touch) {}
  public override func touchMoved(_ touch: Touch) {}
  public override func touchEnded(_ touch: Touch) {}
  public override func touchCancelled(_ touch: Touch) {}
  public override func wheel(at location: Point, deltaX: Double, deltaY: Double) -> Bool { true }
}

extension HeroView: FrameObserver {
  /// Moves the image to its place at the time `now`.
  public func frame(at now: Double) -> NextFrame {
    guard let flight else { return .never }
    let step = flight.step(at: now)
    pose = step.pose
    setNeedsDisplay()
    guard step.isOver else { return .soon }
    if stage == .closing { end() } else { show() }
    return .never
  }
}
