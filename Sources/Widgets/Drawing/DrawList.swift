public import VitrineGraphics

/// What a window looks like, as data: widgets write it, a renderer plays it, tests read it.
///
/// Widgets write in their own coordinates; while the view tree is walked, the list moves everything to window
/// coordinates in points and multiplies opacities down the tree. Commands that lie outside the part being
/// redrawn are not recorded.
public nonisolated struct DrawList: Sendable {
  /// One thing to draw, in window coordinates, in points. The renderer scales and snaps to whole pixels.
  public enum Command: Hashable, Sendable {
    /// A filled rectangle, its corners rounded where the radius is above zero.
    case fill(Rect, color: Color, cornerRadius: Double)
    /// A line along the inside of a rectangle's edges, its corners rounded where the radius is above zero; at least a
    /// pixel wide.
    case border(Rect, width: Double, color: Color, cornerRadius: Double)
    /// The shadow of a rounded rectangle; inside the rectangle only what is quickest to draw, where an opaque fill hides it.
    case shadow(Shadow, of: Rect, cornerRadius: Double, isHiddenInside: Bool)
    /// A picture.
    case image(Picture)
    /// A picture that is turning into another: everything, what lies below included, as it looks with the first one
    /// x (1 - share) + as it looks with the second one x share.
    case dissolve(Picture, into: Picture, share: Double)
    /// One line of text; the origin is the top left corner of its line box.
    case text(String, font: Font, color: Color, origin: Point)
    /// From here to its `popClip` nothing is drawn outside. Already intersected with the clips around it.
    case pushClip(Rect)
    /// Ends the innermost clip.
    case popClip
    /// Until its `popOutline`, what has this very outline leaves those pixels out that the outline cuts through: the
    /// opaque border that follows draws them, and nothing shines through at its edge. They do not nest.
    case pushOutline(Rect, cornerRadius: Double)
    /// Ends the outline.
    case popOutline
  }

  /// A picture, or a part of it, drawn into a rectangle.
  public struct Picture: Hashable, Sendable {
    /// Drawn as it is now: the list keeps it until it is played.
    public var image: Image
    /// Which frame of an animated image.
    public var frame: Int
    /// The part of the bitmap that is shown, in its pixels.
    public var source: Rect
    /// Where it goes; the part is scaled to fill it.
    public var destination: Rect
    /// 0 is invisible, 1 as it is.
    public var opacity: Double
    /// Takes the place of the picture's colours, of which only the alpha stays: that of a template. Nil keeps them.
    public var templateColor: Color?
    /// Multiplied into each channel, after `templateColor`; white leaves the picture as it is. A pressed button dims with grey.
    public var tint: Color
    /// Of the destination's corners, in points.
    public var cornerRadius: Double

    /// All of the first frame, opaque and square, unless said otherwise.
    public init(
      image: Image, frame: Int = 0, source: Rect? = nil, destination: Rect, opacity: Double = 1,
      tint: Color = .white, templateColor: Color? = nil, cornerRadius: Double = 0
    ) {
      self.image = image
      self.frame = frame
      self.source =
        source
        ?? Rect(x: 0, y: 0, width: Double(image.pixelWidth), height: Double(image.pixelHeight))
      self.destination = destination
      self.opacity = opacity
      self.tint = tint
      self.templateColor = templateColor
      self.cornerRadius = cornerRadius
    }
  }

  /// In the order they are drawn, back to front.
  public private(set) var commands: [Command] = []
  /// The part of the window that is wanted; what lies outside is left out.
  public let visibleRect: Rect

  private var context: Context
  private var stack: [Context] = []

  private struct Context {
    var origin: Point
    var opacity: Double
    var clip: Rect
    var opensClip: Bool
  }

  /// An empty list for a part of a window, in window coordinates.
  public init(visibleRect: Rect) {
    self.visibleRect = visibleRect
    context = Context(origin: .zero, opacity: 1, clip: visibleRect, opensClip: false)
  }

  /// Fills a rectangle; nothing is recorded for a transparent colour.
  public mutating func fill(_ rect: Rect, color: Color, cornerRadius: Double = 0) {
    let rect = rect.offset(by: context.origin)
    let color = color.multiplyingAlpha(by: context.opacity)
    guard color.alpha > 0, rect.intersects(context.clip) else { return }
    commands.append(.fill(rect, color: color, cornerRadius: cornerRadius))
  }

  /// Draws a line along the inside of a rectangle's edges; nothing is recorded for a transparent colour, or a width that
  /// is not above 0.
  public mutating func border(_ rect: Rect, width: Double, color: Color, cornerRadius: Double = 0) {
    let rect = rect.offset(by: context.origin)
    let color = color.multiplyingAlpha(by: context.opacity)
    guard color.alpha > 0, width > 0, rect.intersects(context.clip) else { return }
    commands.append(.border(rect, width: width, color: color, cornerRadius: cornerRadius))
  }

  /// Lets `content` draw and puts a border over it, so that nothing of the content shows beyond the border.
  package mutating func border(
    _ rect: Rect, width: Double, color: Color, cornerRadius: Double, over content: (inout DrawList) -> Void
  ) {
    let covers =
      color.multiplyingAlpha(by: context.opacity).alpha == 255 && width > 0 && cornerRadius > 0
    if covers {
      commands.append(.pushOutline(rect.offset(by: context.origin), cornerRadius: cornerRadius))
    }
    content(&self)
    if covers { commands.append(.popOutline) }
    border(rect, width: width, color: color, cornerRadius: cornerRadius)
  }

  /// Draws the shadow of a rectangle, which is hidden inside that where something opaque is drawn next.
  public mutating func shadow(
    _ shadow: Shadow, of rect: Rect, cornerRadius: Double = 0, isHiddenInside: Bool = false
  ) {
    let rect = rect.offset(by: context.origin)
    var shadow = shadow
    shadow.color = shadow.color.multiplyingAlpha(by: context.opacity)
    guard shadow.extent(of: rect).intersects(context.clip) else { return }
    commands.append(
      .shadow(
        shadow, of: rect, cornerRadius: cornerRadius,
        isHiddenInside: isHiddenInside && context.opacity >= 1))
  }

  /// Draws a picture; its opacity is multiplied with that of the views around it.
  public mutating func draw(_ picture: Picture) {
    if let picture = placed(picture) { commands.append(.image(picture)) }
  }

  /// Draws a picture that is turning into another, of which it has become a share from 0 to 1.
  ///
  /// Recorded as pictures where these come to the same, and as `.dissolve` otherwise: a transparent picture drawn over
  /// another lets what lies below shine through between the two.
  public mutating func dissolve(_ old: Picture, into new: Picture, share: Double) {
    func faded(_ picture: Picture, _ share: Double) -> Picture {
      var picture = picture
      picture.opacity *= share
      return picture
    }
    switch (placed(old), placed(new)) {
    case (let old?, let new?) where share > 0 && share < 1:
      if new.hides(old) {
        commands += [.image(old), .image(faded(new, share))]
      } else {
        commands.append(.dissolve(old, into: new, share: share))
      }
    default:
      draw(faded(old, 1 - share))
      draw(faded(new, share))
    }
  }

  /// A picture in the coordinates of the window; nil if nothing of it can be seen.
  private func placed(_ picture: Picture) -> Picture? {
    var picture = picture
    picture.destination = picture.destination.offset(by: context.origin)
    picture.opacity *= context.opacity
    guard picture.opacity > 0.001, !picture.source.isEmpty,
      picture.destination.intersects(context.clip)
    else { return nil }
    return picture
  }

  /// Writes one line of text; `size` is what it measures, to leave out what cannot be seen.
  public mutating func text(_ text: String, font: Font, color: Color, at origin: Point, size: Size) {
    let origin = origin + context.origin
    let color = color.multiplyingAlpha(by: context.opacity)
    guard !text.isEmpty, color.alpha > 0, Rect(origin: origin, size: size).intersects(context.clip)
    else { return }
    commands.append(.text(text, font: font, color: color, origin: origin))
  }

  /// Whether any of `rect`, in current coordinates, can be seen.
  public func isVisible(_ rect: Rect) -> Bool {
    rect.offset(by: context.origin).intersects(context.clip)
  }

  /// Enters a view: what follows is moved by `origin`, faded by `opacity` and, where `clip` is given (in the
  /// coordinates that hold before the call), cut off outside it. Balanced by `leave()`.
  public mutating func enter(origin: Point, opacity: Double, clip: Rect?) {
    stack.append(context)
    if let clip {
      context.clip = context.clip.intersection(clip.offset(by: context.origin))
      context.opensClip = true
      commands.append(.pushClip(context.clip))
    } else {
      context.opensClip = false
    }
    context.origin = context.origin + origin
    context.opacity *= opacity
  }

  /// Lets somebody draw within a rectangle, in current coordinates: what it draws outside is cut off, and views that it
  /// enters and does not leave, or leaves and did not enter, are nobody else's business.
  package mutating func draw(within rect: Rect, _ body: (inout DrawList) -> Void) {
    let clip = context.clip.intersection(rect.offset(by: context.origin))
    var inner = self
    inner.commands = []
    inner.stack = []
    inner.context.clip = clip
    inner.context.opensClip = false
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
      // An empty clip says nothing: take it back rather than play it.
      if case .pushClip = commands.last { commands.removeLast() } else { commands.append(.popClip) }
    }
    context = outer
  }
}

extension DrawList.Picture {
  /// Whether nothing can be seen of another one that lies below.
  fileprivate nonisolated func hides(_ other: DrawList.Picture) -> Bool {
    guard image.frames.indices.contains(frame), image.frames[frame].bitmap.isOpaque else { return false }
    guard templateColor.map({ $0.alpha == 255 }) ?? true else { return false }
    return opacity >= 1 && tint.alpha == 255 && cornerRadius <= 0 && destination.contains(other.destination)
  }
}
