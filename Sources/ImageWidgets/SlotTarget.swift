import VitrineGraphics
import VitrineWidgets

/// Where a slot shows its picture: the contents of a view, or a state of a button.
protocol SlotTarget {
  /// The view; nil once it is gone.
  var view: View? { get }
  /// Names the slot among those of its view.
  var key: String { get }
  /// The picture that it holds now.
  var image: Image? { get }
  /// Whether its picture is what one sees of the view now.
  var isShowing: Bool { get }
  /// Where the picture lies, in the view's coordinates.
  var rect: Rect { get }
  /// How it is laid out there.
  var contentMode: ContentMode { get }
  /// Whether its spinner goes before those of the view's other slots.
  var goesFirst: Bool { get }
  func show(_ image: Image?, transition: Transition)
}

extension SlotTarget {
  var goesFirst: Bool { true }
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
    let size = target.rect.size * (target.view?.window?.scale ?? 1)
    guard !size.isEmpty else {
      self = .unknown
      return
    }
    if target.contentMode == .center {
      self = .natural
    } else {
      self = .target(
        DecodeTarget(
          width: Int(size.width.rounded(.up)), height: Int(size.height.rounded(.up)),
          mode: target.contentMode == .fit ? .fit : .fill))
    }
  }
}

/// The contents of any view.
struct ContentsTarget: SlotTarget {
  weak var view: View?

  static let key = "contents"
  var key: String { Self.key }
  var image: Image? { view?.contents }
  var isShowing: Bool { true }
  var rect: Rect { view?.bounds ?? .zero }
  var contentMode: ContentMode { view?.contentMode ?? .fill }
  func show(_ image: Image?, transition: Transition) { view?.setContents(image, transition: transition) }
}

/// What an image view shows while it is highlighted.
struct HighlightedTarget: SlotTarget {
  weak var imageView: ImageView?

  var view: View? { imageView }
  static let key = "highlighted"
  var key: String { Self.key }
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
  var key: String { Self.key(slot, state) }
  var isShowing: Bool { button?.isShowing(slot, state) ?? false }

  var image: Image? { button?.picture(in: slot, for: state) }
  var rect: Rect { button?.place(of: slot) ?? .zero }
  var goesFirst: Bool { slot == .image }

  var contentMode: ContentMode {
    switch slot {
    case .background: button?.backgroundContentMode ?? .fill
    case .image: button?.imageContentMode ?? .fit
    }
  }

  func show(_ image: Image?, transition: Transition) {
    button?.setPicture(image, in: slot, for: state, transition: transition)
  }

  static func key(_ slot: ButtonSlot, _ state: ControlState) -> String { "button.\(slot).\(state.rawValue)" }
}
