import Glibc
public import VitrineGraphics

/// A view that shows one image, from the size at which all of it fits to eight times that size.
///
/// Two fingers enlarge and move the image; one finger moves an enlarged image, with momentum. A double tap changes
/// between the whole image and an image that fills the view, about the place of the tap. The same is done by the mouse
/// wheel, which enlarges about the pointer, and by keys: plus, minus and 0, the arrow keys while the image is enlarged, and Enter for a double tap.
///
/// ```swift
/// let zoomView = ZoomView(frame: window.bounds)
/// zoomView.setImage(from: "https://example.com/photo.jpg")
/// ```
///
/// The image is loaded in the size in which it is shown whole. When it rests enlarged or moves slowly, the visible part
/// of a large JPEG or PNG is decoded in tiles; until a tile is there, the whole image shows enlarged. Other images are
/// loaded again with more pixels: those with up to 4 million pixels, and those that are decoded only as a whole, such as
/// progressive JPEGs and interlaced PNGs.
///
/// At the edge of the image, and while all of it is shown, a drag is left to superviews, such as a `PageView`.
open class ZoomView: View {
  /// The largest scale, relative to the whole image; 8 by default. Values below 1, and values that are not finite,
  /// count as 1.
  ///
  /// At 8 and more, an image that is much longer than wide, or wider than long, can be enlarged further: until it covers
  /// the view, or until each of its pixels is 8 points wide, and at most to 1,000 times.
  public var maximumScale = ZoomGeometry.standardMaximum {
    didSet {
      if !maximumScale.isFinite { maximumScale = 1 }
      guard maximumScale != oldValue, held == nil else { return }
      // The end of a movement may lie beyond the new limit.
      motion = nil
      geometryDidChange()
      settle()
    }
  }
  /// The largest number of pixels for which an enlarged image that is not decoded in tiles is loaded again, 16 million by
  /// default. Beyond this number, an enlarged image is shown with fewer pixels than the screen has.
  public var maximumPixels = 16_000_000
  /// Called with each change of the scale or the place of the image, from any cause.
  public var onZoom: ((ZoomView) -> Void)?
  /// Called for a tap that is not part of a double tap, up to 0.35 s after it.
  public var onTap: ((ZoomView) -> Void)?

  /// The present scale: 1 shows the whole image. Beyond the limits only while fingers stretch the image.
  public var zoomScale: Double { position.scale }
  /// True while fingers or a movement change the scale or the place.
  public var isZooming: Bool { motion != nil || isHeld }
  /// The frame of the whole image in the view's bounds; may be larger than the bounds. Empty without an image.
  public var imageFrame: Rect { geometry.isUsable ? geometry.frame(at: position) : .zero }

  private var position = ZoomPosition()
  private var motion: ZoomMotion?
  /// True if a finger has stopped a movement and is still down.
  private var isInterrupted = false
  /// The position that fingers hold, which is stretched beyond the limits to be shown; `nil` without fingers.
  private var held: ZoomPosition?
  private var gestures = ZoomGestures()
  /// The middle of the fingers as of the last event, as a distance from the center of the view.
  private var fingerCenter = Point.zero
  /// The scale for which the image is loaded: the largest since the image was set, because a smaller one is there.
  private var loadedScale = 1.0
  private var isHeld: Bool { held != nil }
  private let tiles = ZoomTiles()
  private var speed = ZoomSpeed()

  /// Creates a view that shows the whole image once there is one.
  public override init(frame: Rect = .zero) {
    super.init(frame: frame)
    contentMode = .fit
    clipsToBounds = true
    tiles.onChange = { [weak self] in self?.setNeedsDisplay() }
    tiles.onOpen = { [weak self] in self?.sharpen() }
    tiles.onLoading = { [weak self] in $0 ? self?.beginLoading() : self?.endLoading() }
  }

  // MARK: Scale and place

  /// The size of the image; any unit, because only the proportion matters.
  private var imageSize: Size {
    contents.map { Size(width: Double($0.sourceWidth), height: Double($0.sourceHeight)) } ?? .zero
  }

  private var geometry: ZoomGeometry {
    ZoomGeometry(viewSize: frame.size, imageSize: imageSize, maximumScale: maximumScale)
  }

  /// Changes the scale about a point of the view that stays in its place, within the limits. Ends a movement; fingers
  /// that hold the image let go.
  ///
  /// - Parameters:
  ///   - scale: The new scale. Values that are not finite are ignored.
  ///   - anchor: The point in the view's coordinates; `nil` for the center.
  ///   - animated: True to move there within 0.3 s.
  public func setZoomScale(_ scale: Double, about anchor: Point? = nil, animated: Bool) {
    guard scale.isFinite, scale > 0, geometry.isUsable else { return }
    let anchor = anchor.map(fromCenter) ?? .zero
    let scale = scale.clamped(to: 1...geometry.maximumScale)
    var goal = position.scaled(by: scale / position.scale, about: anchor)
    goal.scale = scale
    move(to: geometry.limited(goal, about: anchor), duration: animated ? 0.3 : 0)
  }

  /// Shows the whole image.
  public func reset() {
    loadedScale = 1
    move(to: ZoomPosition(), duration: 0)
  }

  /// Changes between the whole image and an image that fills the view, as a double tap does.
  public func toggleZoom(about anchor: Point? = nil, animated: Bool = true) {
    let isEnlarged = position.scale > 1.01
    setZoomScale(isEnlarged ? 1 : geometry.toggleScale, about: anchor, animated: animated)
  }

  private func fromCenter(_ point: Point) -> Point {
    Point(x: point.x - frame.width / 2, y: point.y - frame.height / 2)
  }

  private func move(to goal: ZoomPosition, duration: Double) {
    letGo()
    guard duration > 0, let window else {
      motion = nil
      show(goal)
      return settle()
    }
    prepareTiles()
    motion = ZoomMotion(from: position, to: goal, duration: duration, at: window.now)
    requestFrames()
  }

  private func show(_ new: ZoomPosition) {
    guard new != position else { return }
    position = new
    setNeedsDisplay()
    if let window, speed.isSlow(new, at: window.now), isZooming { updateTiles() }
    onZoom?(self)
  }

  /// Called when nothing moves any more: the image is drawn in its best quality, and loaded with more pixels if the
  /// scale needs them.
  private func settle() {
    setNeedsDisplay()
    sharpen()
  }

  private func sharpen() {
    guard !isZooming else { return updateTiles() }
    guard position.scale > 1.001 else { return tiles.close() }
    prepareTiles()
    updateTiles()
    guard position.scale > loadedScale, contents.map(tiles.serves) != true else { return }
    loadedScale = position.scale
    attachment?.boundsDidChange(of: self)
  }

  /// Opens the image for tiles, which takes a while, when it begins to move.
  private func prepareTiles() {
    guard let image = contents, window != nil else { return }
    tiles.prepare(image) { attachment?.tileSource(for: self) }
  }

  private func updateTiles() {
    guard let image = contents, let window, geometry.isUsable else { return }
    tiles.update(image, visible: bounds, frame: imageFrame, pixelScale: window.scale)
  }

  private func letGo() {
    held = nil
    isInterrupted = false
    gestures = ZoomGestures()
  }

  private func geometryDidChange() {
    if held == nil, motion == nil, geometry.isUsable { show(geometry.limited(position)) }
  }

  open override func boundsDidChange() {
    super.boundsDidChange()
    // A new size, as after a rotation, ends what the fingers were doing.
    letGo()
    motion = nil
    geometryDidChange()
    settle()
  }

  open override func didMoveToWindow() {
    super.didMoveToWindow()
    letGo()
    motion = nil
    if window == nil {
      tiles.close()
      if geometry.isUsable { show(geometry.limited(position)) }
    }
  }

  /// Shows an image. An image of another shape is shown whole.
  open override func setContents(_ image: Image?, transition: Transition) {
    let before = imageSize
    // The tiles are those of another image.
    if image !== contents { tiles.close() }
    super.setContents(image, transition: transition)
    let after = imageSize
    let isSameShape =
      !before.isEmpty && !after.isEmpty
      && abs(before.width * after.height / (before.height * after.width) - 1) < 0.02
    if isSameShape {
      geometryDidChange()
      sharpen()
    } else {
      reset()
    }
  }

  /// The room for the image at the scale at which it was last at rest, in points.
  package override var imageRoom: Size {
    guard loadedScale > 1, geometry.isUsable else { return frame.size }
    let scale = window?.scale ?? 1
    let pixels = geometry.fittedSize.width * geometry.fittedSize.height * scale * scale
    let largest = max(1, (Double(maximumPixels) / pixels).squareRoot())
    return frame.size * min(loadedScale, largest)
  }

  // MARK: Drawing

  open override func draw(into list: inout DrawList) {
    let frame = drawnFrame
    guard geometry.isUsable, isZooming || position.scale != 1 || frame != imageFrame else {
      return super.draw(into: &list)
    }
    guard let image = contents else { return }
    let visible = frame.intersection(bounds)
    guard !visible.isEmpty else { return }
    let shown = frameToDraw(of: image)
    let scaleX = Double(image.pixelWidth) / frame.width
    let scaleY = Double(image.pixelHeight) / frame.height
    // An image that is not sharp yet is not worth a texture.
    let isMoving = isZooming || tiles.serves(image)
    func whole(_ part: Rect) -> DrawList.ImageCommand {
      let source = Rect(
        x: (part.minX - frame.minX) * scaleX, y: (part.minY - frame.minY) * scaleY,
        width: part.width * scaleX, height: part.height * scaleY)
      return DrawList.ImageCommand(
        image: shown, source: shown.sourceRect(source, of: image), destination: part, isMoving: isMoving)
    }
    let commands = tiles.commands(
      visible: visible, frame: frame, pixelScale: window?.scale ?? 1, whole: whole, snap: snapped)
    for command in commands ?? [whole(visible)] { list.draw(command) }
  }

  /// The frame in which the image is drawn: that of the image, at least a pixel of the screen wide and high. A thinner
  /// line would vanish between the pixels.
  private var drawnFrame: Rect {
    let frame = imageFrame
    let scale = window?.scale ?? 1
    guard !frame.isEmpty, min(frame.width, frame.height) * scale < 1 else { return frame }
    let origin = convertToWindow(bounds.origin) - bounds.origin
    func widened(_ start: Double, _ length: Double, _ origin: Double) -> (start: Double, length: Double) {
      guard length * scale < 1 else { return (start, length) }
      return (((start + length / 2 + origin) * scale).rounded(.down) / scale - origin, 1 / scale)
    }
    let across = widened(frame.minX, frame.width, origin.x)
    let down = widened(frame.minY, frame.height, origin.y)
    return Rect(x: across.start, y: down.start, width: across.length, height: down.length)
  }

  /// Moves the edges of a rectangle to whole pixels of the screen.
  private func snapped(_ rect: Rect) -> Rect {
    let scale = window?.scale ?? 1
    let origin = convertToWindow(bounds.origin) - bounds.origin
    func snap(_ place: Double, _ origin: Double) -> Double {
      ((place + origin) * scale).rounded() / scale - origin
    }
    let (left, top) = (snap(rect.minX, origin.x), snap(rect.minY, origin.y))
    return Rect(
      x: left, y: top, width: snap(rect.maxX, origin.x) - left, height: snap(rect.maxY, origin.y) - top)
  }

  // MARK: Touches

  open override var observesDescendantTouches: Bool { true }

  open override func observeTouch(_ touch: Touch) {
    if touch.phase == .began, motion != nil { interrupt() }
    for event in gestures.receive(touch, canClaim: canClaim) { perform(event) }
    let isLifted = touch.phase == .ended || touch.phase == .cancelled
    if isLifted, held == nil, motion == nil, isInterrupted { release(.zero) }
    requestFrames()
  }

  /// Stops the movement under a finger. The image is drawn in its best quality where it stands.
  private func interrupt() {
    motion = nil
    isInterrupted = true
    setNeedsDisplay()
  }

  /// The time at which a tap is to be reported; `nil` if none waits.
  private var tapDeadline: Double? { onTap == nil ? nil : gestures.deadline }

  /// Requests the next frame while the image moves, or the frame in which a tap is to be reported.
  private func requestFrames() {
    guard let window else { return }
    if motion != nil {
      window.requestFrames(for: self, at: window.now)
    } else if let tapDeadline {
      window.requestFrames(for: self, at: tapDeadline)
    }
  }

  /// True if one finger that moves by a distance moves the image: an enlarged image that has not reached its edge, or
  /// one that was stopped beyond its edge.
  private func canClaim(_ distance: Point) -> Bool {
    isBeyondLimits || position.scale > 1.001 && geometry.canMove(position, by: distance)
  }

  private var isBeyondLimits: Bool {
    guard geometry.isUsable else { return false }
    let limited = geometry.limited(position)
    return abs(limited.scale / position.scale - 1) > 1e-6 || abs(limited.offset.x - position.offset.x) > 0.01
      || abs(limited.offset.y - position.offset.y) > 0.01
  }

  /// Lets the image go on with a velocity, or return to its limits.
  private func release(_ velocity: Point) {
    isInterrupted = false
    guard let window, geometry.isUsable else { return settle() }
    motion = .release(position, about: fingerCenter, velocity: velocity, in: geometry, at: window.now)
    if motion == nil { settle() } else { requestFrames() }
  }

  private func perform(_ event: ZoomGestures.Event) {
    switch event {
    case .claim(let touch): window?.claim(touch, by: self)
    case .transform(let change): perform(change)
    case .tap(let tap): perform(tap)
    }
  }

  /// The scales that fingers can hold. Far beyond the limits, fingers that pinch again and again change nothing more.
  private static let heldScales = 1e-4...1e4

  private func perform(_ event: TransformRecognizer.Event) {
    switch event {
    case .began(let centroid):
      motion = nil
      fingerCenter = fromCenter(convertFromWindow(centroid))
      held = geometry.held(position, about: fingerCenter)
      prepareTiles()
      setNeedsDisplay()
    case .changed(let change):
      guard var held, geometry.isUsable else { return }
      fingerCenter = fromCenter(convertFromWindow(change.centroid))
      let scale = (held.scale * change.scale).clamped(to: Self.heldScales)
      held = held.scaled(by: scale / held.scale, about: fingerCenter - change.translation)
      held.offset = held.offset + change.translation
      self.held = held
      show(geometry.stretched(held, about: fingerCenter))
    case .ended(let velocity, _):
      held = nil
      release(velocity)
    case .cancelled:
      held = nil
      release(.zero)
    }
  }

  private func perform(_ tap: TapRecognizer.Event) {
    switch tap {
    case .doubleTap(let location): toggleZoom(about: convertFromWindow(location))
    case .tap: onTap?(self)
    }
  }

  /// Touches are observed; none reaches a view behind.
  open override func touchBegan(_ touch: Touch) {}
  open override func touchMoved(_ touch: Touch) {}
  open override func touchEnded(_ touch: Touch) {}
  open override func touchCancelled(_ touch: Touch) {}

  // MARK: Wheel and keys

  /// The factor by which a step of the wheel, or the keys plus and minus, change the scale.
  static let step = 1.25

  /// Enlarges the image about the pointer, or makes it smaller; a horizontal turn is left to superviews.
  open override func wheel(at location: Point, deltaX: Double, deltaY: Double) -> Bool {
    zoomWheel(at: location, delta: deltaY)
  }

  /// Enlarges the image about the pointer, or makes it smaller, as the wheel without Ctrl does.
  open override func zoomWheel(at location: Point, delta: Double) -> Bool {
    guard delta != 0, delta.isFinite, geometry.isUsable else { return false }
    let goal = motion?.goal?.scale ?? position.scale
    let factor = pow(Self.step, delta.clamped(to: -100...100))
    setZoomScale(goal * factor, about: location, animated: true)
    return true
  }

  open override func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool {
    guard modifiers.isSubset(of: .shift) else { return false }
    let goal = motion?.goal ?? position
    switch key {
    case .character("+"), .character("="): setZoomScale(goal.scale * Self.step, animated: true)
    case .character("-"): setZoomScale(goal.scale / Self.step, animated: true)
    case .character("0"): setZoomScale(1, animated: true)
    case .enter: toggleZoom()
    case .up, .down, .left, .right:
      guard let distance = ScrollKey.distance(of: key, modifiers: [], page: 0) else { return false }
      let movement = Point(x: -distance.x, y: -distance.y)
      guard goal.scale > 1.001, geometry.canMove(goal, by: movement) else { return false }
      var moved = goal
      moved.offset = moved.offset + movement
      move(to: geometry.limited(moved), duration: 0.2)
    default: return false
    }
    return true
  }

  /// The role `.image`, unless another role was set.
  open override var accessibilityRole: AccessibilityRole {
    get { role(.image) }
    set { super.accessibilityRole = newValue }
  }

  /// The scale in percent while the image is enlarged, and the number of sharp tiles, unless a value was set.
  open override var accessibilityValue: String? {
    get {
      super.accessibilityValue ?? scaleDescription
    }
    set { super.accessibilityValue = newValue }
  }

  private var scaleDescription: String? {
    guard position.scale > 1.001 else { return nil }
    let (loaded, needed) = tiles.counts
    let percent = "\(Int((position.scale * 100).rounded())) %"
    return needed > 0 ? "\(percent), \(loaded) of \(needed) tiles" : percent
  }
}

extension ZoomView: FrameObserver {
  /// Moves the image to its place at the time `now`.
  public func frame(at now: Double) -> NextFrame {
    if let tap = gestures.advance(to: now) { perform(tap) }
    if let step = motion?.step(at: now, from: position, in: geometry) {
      if step.isOver { motion = nil }
      show(step.position)
      if step.isOver, motion == nil { settle() }
    }
    if motion != nil { return .soon }
    return tapDeadline.map { .at($0) } ?? .never
  }
}
