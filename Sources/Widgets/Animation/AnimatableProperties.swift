public import VitrineGraphics

/// The properties of a view that `View.animate` changes, with the values at the end of the animation.
///
/// Only properties that are assigned are animated.
public nonisolated struct AnimatableProperties {
  /// The position and size in the coordinates of the superview, in points. The view is laid out for each size on the way.
  public var frame: Rect { didSet { assigned.insert(.frame) } }
  /// The velocity of the frame's origin when a spring starts, in points per second, for example that of a finger that
  /// lets go. `nil`, the default, continues the velocity of the running animation. No effect on curves.
  public var frameVelocity: Point?
  /// The opacity, 0…1. While the animation runs, the view and its subviews are faded as one image.
  public var alpha: Double { didSet { assigned.insert(.alpha) } }
  /// The factor by which the view is drawn larger or smaller.
  public var magnification: Double { didSet { assigned.insert(.magnification) } }
  /// The color drawn behind the content; `nil` is transparent.
  public var backgroundColor: Color? { didSet { assigned.insert(.backgroundColor) } }
  /// The radius of the corners, in points.
  public var cornerRadius: Double { didSet { assigned.insert(.cornerRadius) } }
  /// The accent color of the view and of the subviews that have none; `nil` is the color of the superview.
  public var tintColor: Color? { didSet { assigned.insert(.tintColor) } }
  /// The color of the border.
  public var borderColor: Color { didSet { assigned.insert(.borderColor) } }

  /// The properties that were assigned.
  private(set) var assigned = AnimatedPropertySet()

  /// The values that a view shows now.
  @MainActor
  init(of view: View) {
    frame = view.frame
    alpha = view.alpha
    magnification = view.magnification
    backgroundColor = view.backgroundColor
    cornerRadius = view.cornerRadius
    tintColor = view.tintColor
    borderColor = view.borderColor
  }

  /// Takes over the value of a property, without marking it as assigned.
  mutating func copy(_ property: AnimatedProperty, of other: AnimatableProperties) {
    let assigned = assigned
    switch property {
    case .frame: frame = other.frame
    case .alpha: alpha = other.alpha
    case .magnification: magnification = other.magnification
    case .backgroundColor: backgroundColor = other.backgroundColor
    case .cornerRadius: cornerRadius = other.cornerRadius
    case .tintColor: tintColor = other.tintColor
    case .borderColor: borderColor = other.borderColor
    }
    self.assigned = assigned
  }

  /// Sets a property of a view to the value at the end.
  @MainActor
  func apply(_ property: AnimatedProperty, to view: View) {
    switch property {
    case .frame: view.frame = frame
    case .alpha: view.alpha = alpha
    case .magnification: view.magnification = magnification
    case .backgroundColor: view.backgroundColor = backgroundColor
    case .cornerRadius: view.cornerRadius = cornerRadius
    case .tintColor: view.tintColor = tintColor
    case .borderColor: view.borderColor = borderColor
    }
  }
}
