import VitrineGraphics

extension DrawList.Command {
  /// True for a clip or an outline, which draw nothing themselves.
  nonisolated var isScope: Bool {
    switch self {
    case .pushClip, .popClip, .pushOutline, .popOutline: true
    default: false
    }
  }

  /// Returns the command with an opacity; `nil` if the command does not draw opaque pixels only.
  ///
  /// The result has exactly the pixels of a group of this command. That does not hold for translucent pixels, because a
  /// group rounds twice.
  nonisolated func faded(to opacity: Double) -> Self? {
    switch self {
    case .fill(let rect, let color, let radius) where color.alpha == 255 && radius <= 0:
      return .fill(rect, color: color.multiplyingAlpha(by: opacity), cornerRadius: radius)
    case .image(var image) where image.isOpaque && image.cornerRadius <= 0:
      image.opacity = opacity
      return .image(image)
    default: return nil
    }
  }
}

extension DrawList.ImageCommand {
  /// True if all pixels are opaque, apart from rounded corners.
  nonisolated var isOpaque: Bool {
    guard image.bitmap.isOpaque else { return false }
    guard templateColor.map({ $0.alpha == 255 }) ?? true else { return false }
    return opacity >= 1 && tint.alpha == 255
  }
}
