public import VitrineGraphics

/// A view for an image, with a second image for the highlighted state. Touches pass through.
open class ImageView: View {
  /// The image; `nil` by default. A new value is shown at once, without a transition.
  public var image: Image? {
    get { storedImage }
    set { setImage(newValue, transition: .none) }
  }
  /// The image that is shown while highlighted; `nil`, the default, shows `image`.
  public var highlightedImage: Image? {
    get { storedHighlightedImage }
    set { setHighlightedImage(newValue, transition: .none) }
  }
  /// True while the highlighted image is shown. A change takes effect at once, without a transition.
  public var isHighlighted = false {
    didSet {
      let shown = isHighlighted ? storedHighlightedImage ?? storedImage : storedImage
      if shown != contents { showContents(shown, of: displayedState, transition: .none) }
    }
  }

  private var storedImage, storedHighlightedImage: Image?

  /// Creates an empty view with a frame in the coordinates of the superview.
  public override init(frame: Rect = .zero) {
    super.init(frame: frame)
    isUserInteractionEnabled = false
  }

  /// Creates a view with the natural size of an image.
  public convenience init(_ image: Image) {
    self.init(frame: Rect(origin: .zero, size: image.size))
    self.image = image
  }

  /// Sets the image. The transition runs only if the displayed image changes.
  public func setImage(_ image: Image?, transition: Transition) {
    let replaced = storedImage
    storedImage = image
    playOn(from: replaced, to: image)
    if displayedState == .normal {
      showContents(image, transition: transition)
    } else if replaced != nil, replaced != image,
      transitions.contains(where: { $0.old.image != nil && $0.old.state == .normal })
    {
      // The removed image must not remain visible as the old image of a running transition.
      showContents(contents, of: .highlighted, transition: .none)
    }
    removeUnusedPlayers()
  }

  /// Sets the image for the highlighted state. The transition runs only if the displayed image changes.
  public func setHighlightedImage(_ image: Image?, transition: Transition) {
    let replaced = storedHighlightedImage
    storedHighlightedImage = image
    playOn(from: replaced, to: image)
    if isHighlighted { showContents(image ?? storedImage, of: displayedState, transition: transition) }
    removeUnusedPlayers()
  }

  override var heldImages: [Image] { [storedImage, storedHighlightedImage].compactMap(\.self) }

  /// The state whose image is displayed.
  private var displayedState: ControlState {
    isHighlighted && storedHighlightedImage != nil ? .highlighted : .normal
  }

  /// Sets the image as `setImage(_:transition:)` does: the contents of an image view are its image.
  open override func setContents(_ image: Image?, transition: Transition) {
    setImage(image, transition: transition)
  }

  /// The role `.image`, unless another role was set.
  open override var accessibilityRole: AccessibilityRole {
    get { role(.image) }
    set { super.accessibilityRole = newValue }
  }

  /// Returns the natural size of the displayed image; zero without an image.
  open override func sizeThatFits(_ size: Size) -> Size { contents?.size ?? .zero }
}
