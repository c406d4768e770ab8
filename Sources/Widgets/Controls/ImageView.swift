public import VitrineGraphics

/// A view for a picture, with a second one for its highlighted state. Touches pass through.
open class ImageView: View {
  /// What is shown; setting it shows it at once.
  public var image: Image? {
    get { storedImage }
    set { setImage(newValue, transition: .none) }
  }
  /// What is shown while highlighted; nil shows `image`.
  public var highlightedImage: Image? {
    get { storedHighlightedImage }
    set { setHighlightedImage(newValue, transition: .none) }
  }
  /// Switches between the two at once, without a fade.
  public var isHighlighted = false {
    didSet {
      let shown = isHighlighted ? storedHighlightedImage ?? storedImage : storedImage
      if shown != contents { showContents(shown, of: stateThatShows, transition: .none) }
    }
  }

  private var storedImage: Image?
  private var storedHighlightedImage: Image?

  /// An empty view, in the coordinates of its superview, that lets touches through.
  public override init(frame: Rect = .zero) {
    super.init(frame: frame)
    isUserInteractionEnabled = false
  }

  /// A view as large as its picture.
  public convenience init(_ image: Image) {
    self.init(frame: Rect(origin: .zero, size: image.size))
    self.image = image
  }

  /// Sets the picture; the transition is seen only if it is the one that shows.
  public func setImage(_ image: Image?, transition: Transition) {
    let replaced = storedImage
    storedImage = image
    if stateThatShows == .normal {
      showContents(image, transition: transition)
    } else if replaced != nil, replaced != image,
      transitions.contains(where: { $0.old.image != nil && $0.old.state == .normal })
    {
      // A picture that is gone is not seen as that which goes either, nor is the one that was there before it.
      showContents(contents, of: .highlighted, transition: .none)
    }
  }

  /// Sets the picture of the highlighted state; the transition is seen only if it is the one that shows.
  public func setHighlightedImage(_ image: Image?, transition: Transition) {
    storedHighlightedImage = image
    if isHighlighted { showContents(image ?? storedImage, of: stateThatShows, transition: transition) }
  }

  /// Whose picture is seen.
  private var stateThatShows: ControlState {
    isHighlighted && storedHighlightedImage != nil ? .highlighted : .normal
  }

  /// The same as `setImage(_:transition:)`: the contents of an image view are its image.
  open override func setContents(_ image: Image?, transition: Transition) {
    setImage(image, transition: transition)
  }

  /// `image`.
  open override var accessibilityRole: AccessibilityRole {
    get { role(.image) }
    set { super.accessibilityRole = newValue }
  }

  /// The natural size of the picture that shows; nothing without one.
  open override func sizeThatFits(_ size: Size) -> Size { contents?.size ?? .zero }
}
