import VitrineGraphics
import VitrineWidgets

/// The destination of a slot's images: the contents of a view, the highlighted image of an image view, or a state of a
/// button.
protocol SlotTarget {
  /// The view; `nil` once the view has been released.
  var view: View? { get }
  /// The identifier of the slot within the view.
  var key: SlotKey { get }
  /// The image currently set.
  var image: Image? { get }
  /// True if the view currently displays this target: for a button, in its current state.
  var isShowing: Bool { get }
  /// The frame of the image, in the view's coordinates.
  var rect: Rect { get }
  /// The available size for an image in points, regardless of the image that is shown now.
  var room: Size { get }
  /// The content mode of the image within `rect`.
  var contentMode: ContentMode { get }
  /// The corner radius of the image in points; that of the view by default.
  var cornerRadius: Double { get }
  /// True, the default, if the slot's indicator takes precedence over the indicators of the view's other slots.
  var goesFirst: Bool { get }
  func show(_ image: Image?, transition: Transition)
}

extension SlotTarget {
  var room: Size { rect.size }
  var goesFirst: Bool { true }
  var cornerRadius: Double { view?.cornerRadius ?? 0 }
}

/// Identifies a slot within a view.
nonisolated enum SlotKey: Hashable {
  case contents
  case highlighted
  case button(ButtonSlot, ControlState)

  /// The key under which the view keeps the slot's load, for `View.setLoadOperation(_:forKey:)`.
  var operation: String {
    switch self {
    case .contents: "contents"
    case .highlighted: "highlighted"
    case .button(let slot, let state): "button.\(slot).\(state.rawValue)"
    }
  }
}

/// The size at which a slot needs an image.
enum NeededSize: Equatable {
  /// Not known: the view has no size yet.
  case unknown
  /// The natural size of the image, for a content mode that does not scale.
  case natural
  case target(DecodeTarget)

  /// Maps bounds, scale and content mode to pixels.
  init(of target: some SlotTarget) {
    self.init(target.room * (target.view?.window?.scale ?? 1), contentMode: target.contentMode)
  }

  /// Creates the size for an available size in pixels.
  init(_ size: Size, contentMode: ContentMode) {
    guard !size.isEmpty else {
      self = .unknown
      return
    }
    if contentMode.keepsNaturalSize {
      self = .natural
    } else {
      self = .target(
        DecodeTarget(
          width: Self.pixels(size.width), height: Self.pixels(size.height),
          mode: contentMode == .fit ? .fit : .fill))
    }
  }

  /// True if this size may need more than 1.5 times as many pixels per side as `other`. An estimate, because the exact
  /// need depends on the aspect ratio of the image.
  func isMuchMore(than other: NeededSize) -> Bool {
    switch (self, other) {
    case (.natural, .target): return true
    case (.target(let needed), .target(let known)):
      if needed.mode != known.mode { return needed.mode == .fill }
      return Double(needed.width) > 1.5 * Double(known.width)
        || Double(needed.height) > 1.5 * Double(known.height)
    default: return false
    }
  }

  /// Rounds a length up to whole pixels. Capped at 65,535, the largest side of an image, because a view may be
  /// infinitely large.
  private static func pixels(_ length: Double) -> Int { Int(min(length, 65_535).rounded(.up)) }
}

/// The contents of a view.
struct ContentsTarget: SlotTarget {
  weak var view: View?

  var key: SlotKey { .contents }
  /// The contents of the view; for an image view its normal image, even while the highlighted image is displayed.
  var image: Image? { (view as? ImageView).map(\.image) ?? view?.contents }
  var isShowing: Bool { true }
  var rect: Rect { view?.bounds ?? .zero }
  var room: Size { view?.imageRoom ?? .zero }
  var contentMode: ContentMode { view?.contentMode ?? .fill }
  func show(_ image: Image?, transition: Transition) { view?.setContents(image, transition: transition) }
}

/// The highlighted image of an image view.
struct HighlightedTarget: SlotTarget {
  weak var imageView: ImageView?

  var view: View? { imageView }
  var key: SlotKey { .highlighted }
  var image: Image? { imageView?.highlightedImage }
  var isShowing: Bool { imageView?.isHighlighted ?? false }
  var rect: Rect { imageView?.bounds ?? .zero }
  var contentMode: ContentMode { imageView?.contentMode ?? .fill }
  func show(_ image: Image?, transition: Transition) {
    imageView?.setHighlightedImage(image, transition: transition)
  }
}

/// The image or the background image of a button in one state.
struct ButtonTarget: SlotTarget {
  weak var button: Button?
  let slot: ButtonSlot
  let state: ControlState

  var view: View? { button }
  var key: SlotKey { .button(slot, state) }
  var isShowing: Bool { button?.isShowing(slot, state) ?? false }

  var image: Image? { button?.image(in: slot, for: state) }
  var rect: Rect { button?.frame(of: slot) ?? .zero }
  var goesFirst: Bool { slot == .image }

  /// All of the content area for an image without a fixed `imageSize`: the current frame follows from the placeholder
  /// or the previous image and says nothing about the next one.
  var room: Size {
    guard let button, slot == .image, button.imageSize == nil else { return rect.size }
    return button.contentRect.size
  }

  var contentMode: ContentMode {
    switch slot {
    case .background: button?.backgroundContentMode ?? .fill
    case .image: button?.imageContentMode ?? .fit
    }
  }

  func show(_ image: Image?, transition: Transition) {
    button?.setImage(image, in: slot, for: state, transition: transition)
  }
}
