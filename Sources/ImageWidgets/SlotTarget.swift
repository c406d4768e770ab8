import VitrineGraphics
import VitrineWidgets

/// Where a slot shows its picture: the contents of a view, or a state of a button.
protocol SlotTarget {
  /// The view; nil once it is gone.
  var view: View? { get }
  /// Which of its view's slots it is.
  var key: SlotKey { get }
  /// The picture that it holds now.
  var image: Image? { get }
  /// Whether its picture is what one sees of the view now.
  var isShowing: Bool { get }
  /// Where the picture lies, in the view's coordinates.
  var rect: Rect { get }
  /// The room that a picture may take, in points, whatever is shown now.
  var room: Size { get }
  /// How it is laid out there.
  var contentMode: ContentMode { get }
  /// Of the picture, in points.
  var cornerRadius: Double { get }
  /// Whether its indicator goes before those of the view's other slots.
  var goesFirst: Bool { get }
  func show(_ image: Image?, transition: Transition)
}

extension SlotTarget {
  var room: Size { rect.size }
  var goesFirst: Bool { true }
  var cornerRadius: Double { view?.cornerRadius ?? 0 }
}

/// Names a slot among those of its view.
nonisolated enum SlotKey: Hashable {
  case contents
  case highlighted
  case button(ButtonSlot, ControlState)

  /// The name under which the view keeps the slot's load, for `View.setLoadOperation(_:forKey:)`.
  var operation: String {
    switch self {
    case .contents: "contents"
    case .highlighted: "highlighted"
    case .button(let slot, let state): "button.\(slot).\(state.rawValue)"
    }
  }
}

/// How large a slot needs its picture.
enum NeededSize: Equatable {
  /// The view has no size yet.
  case unknown
  /// In its natural size, whatever that is.
  case natural
  case target(DecodeTarget)

  /// Maps bounds, scale and content mode to pixels.
  init(of target: some SlotTarget) {
    let size = target.room * (target.view?.window?.scale ?? 1)
    guard !size.isEmpty else {
      self = .unknown
      return
    }
    if target.contentMode.keepsNaturalSize {
      self = .natural
    } else {
      self = .target(
        DecodeTarget(
          width: Self.pixels(size.width), height: Self.pixels(size.height),
          mode: target.contentMode == .fit ? .fit : .fill))
    }
  }

  /// Whether it may be more than 1.5 times as many pixels a side; it depends on the picture's shape.
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

  /// No picture has more on a side than 65,535; a view may be without end.
  private static func pixels(_ length: Double) -> Int { Int(min(length, 65_535).rounded(.up)) }
}

/// The contents of any view.
struct ContentsTarget: SlotTarget {
  weak var view: View?

  var key: SlotKey { .contents }
  /// An image view's own picture, also while it shows the highlighted one.
  var image: Image? { (view as? ImageView).map(\.image) ?? view?.contents }
  var isShowing: Bool { true }
  var rect: Rect { view?.bounds ?? .zero }
  var contentMode: ContentMode { view?.contentMode ?? .fill }
  func show(_ image: Image?, transition: Transition) { view?.setContents(image, transition: transition) }
}

/// What an image view shows while it is highlighted.
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

  var image: Image? { button?.picture(in: slot, for: state) }
  var rect: Rect { button?.place(of: slot) ?? .zero }
  var goesFirst: Bool { slot == .image }

  /// An image without a size of its own may take all of the content: how large a placeholder is, or the picture
  /// before, says nothing about it.
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
    button?.setPicture(image, in: slot, for: state, transition: transition)
  }
}
