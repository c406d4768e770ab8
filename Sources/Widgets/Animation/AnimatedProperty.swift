import VitrineGraphics

/// A property of a view that can be animated, and its values as numbers.
nonisolated enum AnimatedProperty: Int, CaseIterable {
  case frame, alpha, magnification, backgroundColor, cornerRadius, tintColor, borderColor

  /// All properties, in the order in which they are set. `allCases` makes a new array for each use.
  static let all = allCases

  /// The distance from the end that is not visible: a tenth of a point, or less than a step of a color channel.
  var tolerance: Double {
    switch self {
    case .frame, .cornerRadius: 0.1
    case .alpha, .backgroundColor, .tintColor, .borderColor: 0.002
    case .magnification: 0.0005
    }
  }

  /// Returns a value as numbers. `inheritedTint` stands for a tint color of `nil`.
  func lanes(of properties: AnimatableProperties, inheritedTint: Color) -> PropertyMotion.Lanes {
    switch self {
    case .frame:
      let frame = properties.frame
      return [frame.minX, frame.minY, frame.width, frame.height]
    case .alpha: return [properties.alpha, 0, 0, 0]
    case .magnification: return [properties.magnification, 0, 0, 0]
    case .backgroundColor: return (properties.backgroundColor ?? .clear).lanes
    case .cornerRadius: return [properties.cornerRadius, 0, 0, 0]
    case .tintColor: return (properties.tintColor ?? inheritedTint).lanes
    case .borderColor: return properties.borderColor.lanes
    }
  }

  /// Shows a value on the way in a view. A value beyond the limits of the property, where a spring overshoots, is clamped.
  @MainActor
  func show(_ lanes: PropertyMotion.Lanes, in view: View) {
    switch self {
    case .frame:
      view.frame = Rect(x: lanes.x, y: lanes.y, width: max(0, lanes.z), height: max(0, lanes.w))
    case .alpha: view.alpha = lanes.x.clamped(to: 0...1)
    case .magnification: view.magnification = max(0, lanes.x)
    case .backgroundColor: view.backgroundColor = Color(lanes)
    case .cornerRadius: view.cornerRadius = max(0, lanes.x)
    case .tintColor: view.tintColor = Color(lanes)
    case .borderColor: view.borderColor = Color(lanes)
    }
  }
}

/// A set of properties.
nonisolated struct AnimatedPropertySet: Hashable {
  private var bits: UInt8 = 0

  var isEmpty: Bool { bits == 0 }
  func contains(_ property: AnimatedProperty) -> Bool { bits & 1 << UInt8(property.rawValue) != 0 }
  mutating func insert(_ property: AnimatedProperty) { bits |= 1 << UInt8(property.rawValue) }
  mutating func remove(_ property: AnimatedProperty) { bits &= ~(1 << UInt8(property.rawValue)) }
}

extension Color {
  /// The channels, 0…1, multiplied by alpha, so that a color fades to transparent without changing its hue.
  nonisolated fileprivate var lanes: PropertyMotion.Lanes {
    let opacity = Double(alpha) / 255
    return PropertyMotion.Lanes(Double(red), Double(green), Double(blue), 255) / 255
      * PropertyMotion.Lanes(opacity, opacity, opacity, opacity)
  }

  nonisolated fileprivate init(_ lanes: PropertyMotion.Lanes) {
    let opacity = lanes.w.clamped(to: 0...1)
    func channel(_ value: Double) -> UInt8 {
      opacity > 0 ? UInt8((value / opacity).clamped(to: 0...1) * 255 + 0.5) : 0
    }
    self.init(
      red: channel(lanes.x), green: channel(lanes.y), blue: channel(lanes.z),
      alpha: UInt8(opacity * 255 + 0.5))
  }
}
