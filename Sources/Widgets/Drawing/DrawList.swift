public import VitrineGraphics

/// The contents of a window as data: widgets write drawing commands, and a renderer plays them.
///
/// A view draws into a list in `View.draw(into:)`, an application's own transition or indicator in `TransitionDrawing`
/// and `IndicatorDrawing`.
///
/// Widgets write in their own coordinates. While the view tree is traversed, the list converts the commands to window
/// coordinates in points, with the magnification of the views, and multiplies opacities down the tree. Commands outside
/// the redrawn part are not recorded.
public nonisolated struct DrawList: Sendable {
  /// A drawing command, in window coordinates in points. The renderer scales the coordinates and snaps them to whole
  /// pixels.
  package enum Command: Hashable, Sendable {
    /// A filled rectangle. A corner radius above 0 rounds the corners.
    case fill(Rect, color: Color, cornerRadius: Double)
    /// A line along the inner side of a rectangle's edges, at least one pixel wide. A corner radius above 0 rounds the
    /// corners.
    case border(Rect, width: Double, color: Color, cornerRadius: Double)
    /// The shadow of a rounded rectangle. If `isHiddenInside` is true, an opaque fill hides the shadow inside the
    /// rectangle, so the renderer may skip most of it.
    case shadow(Shadow, of: Rect, cornerRadius: Double, isHiddenInside: Bool)
    /// An image.
    case image(ImageCommand)
    /// An image that changes into another. The result is the mean of two scenes, the background included: the scene
    /// with the first image, weighted with 1 - `fraction`, and the scene with the second image, weighted with
    /// `fraction`. Indirect, because two images in a command would double the size of all commands.
    indirect case dissolve(ImageCommand, into: ImageCommand, fraction: Double)
    /// One line of text. The origin is the top left corner of the line box.
    case text(String, font: Font, color: Color, origin: Point)
    /// A clip: until the matching `popClip`, nothing is drawn outside the rectangle. Already intersected with the
    /// enclosing clips.
    case pushClip(Rect)
    /// Ends the innermost clip.
    case popClip
    /// An outline: until `popOutline`, commands with exactly this outline skip the pixels that the outline cuts
    /// through. The opaque border that follows draws these pixels, so that no content shines through at its edge.
    /// Outlines do not nest.
    case pushOutline(Rect, cornerRadius: Double)
    /// Ends the outline.
    case popOutline
    /// A group: the commands until the matching `popGroup` are drawn as one image, which is then mixed with what lies
    /// below with the weight `opacity`. They draw nothing outside the rectangle. Groups may nest.
    case pushGroup(Rect, opacity: Double)
    /// Ends the innermost group.
    case popGroup
  }

  /// An image, or a part of one, drawn into a rectangle.
  public struct ImageCommand: Hashable, Sendable {
    /// The image, retained by the list until the list is played.
    public var image: Image
    /// The part of the bitmap that is drawn, in pixels of the bitmap.
    public var source: Rect
    /// The rectangle that the part is scaled to fill.
    public var destination: Rect
    /// The opacity from 0 (invisible) to 1.
    public var opacity: Double
    /// The color of a template image: replaces the image's colors, and only the image's alpha is kept. `nil` keeps the
    /// colors.
    public var templateColor: Color?
    /// A color multiplied into each channel after `templateColor`, for example gray for a pressed button. White changes
    /// nothing.
    public var tint: Color
    /// The radius of the destination's corners, in points.
    public var cornerRadius: Double
    /// True if the scale or the position of the image changes with each frame, as in a zoom; false by default.
    ///
    /// The image is then scaled while it is drawn, by bilinear sampling, and the source may begin at fractions of a
    /// pixel, so that slow movements are smooth. A still image is scaled once, in higher quality.
    public var isMoving: Bool

    /// Creates a command for an image; by default for the whole image, opaque, with square corners.
    public init(
      image: Image, source: Rect? = nil, destination: Rect, opacity: Double = 1,
      tint: Color = .white, templateColor: Color? = nil, cornerRadius: Double = 0, isMoving: Bool = false
    ) {
      self.image = image
      self.source =
        source
        ?? Rect(x: 0, y: 0, width: Double(image.pixelWidth), height: Double(image.pixelHeight))
      self.destination = destination
      self.opacity = opacity
      self.tint = tint
      self.templateColor = templateColor
      self.cornerRadius = cornerRadius
      self.isMoving = isMoving
    }
  }

  /// The recorded commands in drawing order, back to front.
  package private(set) var commands: [Command] = []
  /// The part of the window that the list describes, in window coordinates. Commands outside are not recorded.
  package let visibleRect: Rect

  private let pixelScale: Double
  private var context: Context
  private var stack: [Context] = []

  private struct Context {
    /// The position in the window of the origin of the current coordinates.
    var origin = Point.zero
    /// The length in the window of a point of the current coordinates.
    var magnification = 1.0
    var opacity = 1.0
    var clip: Rect
    /// True if images are drawn as moving.
    var isMoving = false
    var opensClip = false
    /// True if leaving the context ends a group.
    var isGroup = false

    /// Converts a point to window coordinates.
    func placed(_ point: Point) -> Point {
      (magnification == 1 ? point : point * magnification) + origin
    }

    /// Converts a rectangle to window coordinates.
    func placed(_ rect: Rect) -> Rect {
      (magnification == 1 ? rect : rect * magnification).offset(by: origin)
    }
  }

  /// Creates an empty list for a part of a window, in window coordinates. `pixelScale` is the number of pixels per point, and
  /// `capacity` the number of commands for which the list has room from the beginning.
  package init(visibleRect: Rect, pixelScale: Double = 1, capacity: Int = 0) {
    commands.reserveCapacity(capacity)
    self.visibleRect = visibleRect
    self.pixelScale = pixelScale
    context = Context(clip: visibleRect)
  }

  /// Fills a rectangle. A transparent color records nothing.
  public mutating func fill(_ rect: Rect, color: Color, cornerRadius: Double = 0) {
    let rect = context.placed(rect)
    let color = color.multiplyingAlpha(by: context.opacity)
    guard color.alpha > 0, rect.intersects(context.clip) else { return }
    commands.append(.fill(rect, color: color, cornerRadius: cornerRadius * context.magnification))
  }

  /// Draws a line along the inner side of a rectangle's edges. A transparent color, or a width not above 0, records
  /// nothing.
  public mutating func border(_ rect: Rect, width: Double, color: Color, cornerRadius: Double = 0) {
    let rect = context.placed(rect)
    let color = color.multiplyingAlpha(by: context.opacity)
    guard color.alpha > 0, width > 0, rect.intersects(context.clip) else { return }
    let factor = context.magnification
    commands.append(
      .border(rect, width: width * factor, color: color, cornerRadius: cornerRadius * factor))
  }

  /// Draws `content`, then a border on top. Under an opaque border with rounded corners, no content shows beyond the
  /// border.
  package mutating func border(
    _ rect: Rect, width: Double, color: Color, cornerRadius: Double, over content: (inout DrawList) -> Void
  ) {
    let needsOutline =
      color.multiplyingAlpha(by: context.opacity).alpha == 255 && width > 0 && cornerRadius > 0
    if needsOutline {
      commands.append(
        .pushOutline(context.placed(rect), cornerRadius: cornerRadius * context.magnification))
    }
    content(&self)
    if needsOutline { commands.append(.popOutline) }
    border(rect, width: width, color: color, cornerRadius: cornerRadius)
  }

  /// Draws the shadow of a rectangle.
  ///
  /// Set `isHiddenInside` to true if an opaque fill of the rectangle follows, which hides the shadow inside the
  /// rectangle.
  public mutating func shadow(
    _ shadow: Shadow, of rect: Rect, cornerRadius: Double = 0, isHiddenInside: Bool = false
  ) {
    let rect = context.placed(rect)
    let factor = context.magnification
    var shadow = shadow
    shadow.color = shadow.color.multiplyingAlpha(by: context.opacity)
    if factor != 1 {
      shadow.radius *= factor
      shadow.offset = shadow.offset * factor
    }
    guard shadow.extent(of: rect).intersects(context.clip) else { return }
    commands.append(
      .shadow(
        shadow, of: rect, cornerRadius: cornerRadius * factor,
        isHiddenInside: isHiddenInside && context.opacity >= 1))
  }

  /// Draws an image. Its opacity is multiplied with the opacity of the enclosing views.
  public mutating func draw(_ command: ImageCommand) {
    if let command = placed(command) { commands.append(.image(command)) }
  }

  /// Draws an image that changes into another; `fraction` is the weight of the new image, 0…1.
  ///
  /// The result is the weighted mean of two scenes, the background included: a transparent image drawn over another one
  /// would let the background shine through. Recorded as two images where they give the same result.
  public mutating func dissolve(_ old: ImageCommand, into new: ImageCommand, fraction: Double) {
    func faded(_ command: ImageCommand, _ factor: Double) -> ImageCommand {
      var command = command
      command.opacity *= factor
      return command
    }
    switch (placed(old), placed(new)) {
    case (let old?, let new?) where fraction > 0 && fraction < 1:
      if new.hides(old) {
        commands += [.image(old), .image(faded(new, fraction))]
      } else {
        commands.append(.dissolve(old, into: new, fraction: fraction))
      }
    default:
      draw(faded(old, 1 - fraction))
      draw(faded(new, fraction))
    }
  }

  /// Converts an image command to window coordinates. Returns `nil` if nothing of the image is visible.
  private func placed(_ command: ImageCommand) -> ImageCommand? {
    var command = command
    command.destination = context.placed(command.destination)
    command.cornerRadius *= context.magnification
    command.isMoving = command.isMoving || context.isMoving
    command.opacity *= context.opacity
    guard command.opacity > 0.001, !command.source.isEmpty, command.destination.intersects(context.clip)
    else { return nil }
    return command
  }

  /// Draws one line of text. `size` is the measured size of the text; text outside the clip is not recorded.
  public mutating func text(_ text: String, font: Font, color: Color, at origin: Point, size: Size) {
    let box = context.placed(Rect(origin: origin, size: size))
    let color = color.multiplyingAlpha(by: context.opacity)
    guard !text.isEmpty, color.alpha > 0, box.intersects(context.clip) else { return }
    guard context.magnification != 1 else {
      commands.append(.text(text, font: font, color: color, origin: box.origin))
      return
    }
    let fitted = MagnifiedText(
      font: font, box: box, magnification: context.magnification, pixelScale: pixelScale)
    // Widths are not exactly proportional to the size of a font, and only the box will be redrawn.
    commands += [
      .pushClip(context.clip.intersection(box)),
      .text(text, font: fitted.font, color: color, origin: fitted.origin), .popClip,
    ]
  }

  /// True if any part of `rect`, in current coordinates, is visible. A view can skip drawing that is expensive
  /// otherwise.
  public func isVisible(_ rect: Rect) -> Bool {
    context.placed(rect).intersects(context.clip)
  }

  /// Enters a view: the commands that follow are moved by `origin`, multiplied by `opacity` and, if `clip` is given (in
  /// the coordinates before the call), clipped to it. Must be balanced by `leave()`.
  public mutating func enter(origin: Point, opacity: Double, clip: Rect?) {
    push()
    if let clip {
      context.clip = context.clip.intersection(context.placed(clip))
      context.opensClip = true
      commands.append(.pushClip(context.clip))
    }
    context.origin = context.placed(origin)
    context.opacity *= opacity
  }

  /// Enters a magnified view: the commands that follow are magnified in the current coordinates, and images are drawn as
  /// moving if `isMoving` is true. Must be balanced by `leave()`.
  mutating func enter(_ magnifier: Magnifier?, isMoving: Bool) {
    push()
    if let magnifier {
      context.origin = context.placed(magnifier.magnified(Point.zero))
      context.magnification *= magnifier.factor
    }
    context.isMoving = context.isMoving || isMoving
  }

  /// Enters a group: the commands that follow are drawn as one image with an opacity. They are not recorded outside
  /// `rect`, in current coordinates. Must be balanced by `leave()`.
  package mutating func enterGroup(in rect: Rect, opacity: Double) {
    push()
    context.clip = context.clip.intersection(context.placed(rect))
    context.isGroup = true
    commands.append(.pushGroup(context.clip, opacity: min(1, max(0, opacity * context.opacity))))
    context.opacity = 1
  }

  private mutating func push() {
    stack.append(context)
    context.opensClip = false
    context.isGroup = false
  }

  /// Calls `body` to draw within a rectangle, in current coordinates. Drawing outside the rectangle is clipped.
  /// Unbalanced calls of `enter` and `leave` in `body` do not affect the commands that follow.
  package mutating func draw(within rect: Rect, _ body: (inout DrawList) -> Void) {
    let clip = context.clip.intersection(context.placed(rect))
    var inner = self
    inner.commands = []
    inner.stack = []
    inner.context.clip = clip
    inner.context.opensClip = false
    inner.context.isGroup = false
    body(&inner)
    while !inner.stack.isEmpty { inner.leave() }
    guard !inner.commands.isEmpty else { return }
    commands.append(.pushClip(clip))
    commands += inner.commands
    commands.append(.popClip)
  }

  /// Leaves the view entered last.
  public mutating func leave() {
    guard let outer = stack.popLast() else { return }
    if context.opensClip {
      // A clip without commands draws nothing, so it is removed instead, and so is a group.
      if case .pushClip = commands.last { commands.removeLast() } else { commands.append(.popClip) }
    }
    if context.isGroup {
      if case .pushGroup = commands.last { commands.removeLast() } else { commands.append(.popGroup) }
    }
    context = outer
  }
}

extension DrawList.ImageCommand {
  /// True if this image fully covers `other`, drawn below it.
  fileprivate nonisolated func hides(_ other: DrawList.ImageCommand) -> Bool {
    guard image.bitmap.isOpaque else { return false }
    guard templateColor.map({ $0.alpha == 255 }) ?? true else { return false }
    return opacity >= 1 && tint.alpha == 255 && cornerRadius <= 0 && destination.contains(other.destination)
  }
}
