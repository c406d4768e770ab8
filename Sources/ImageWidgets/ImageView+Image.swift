public import VitrineGraphics
public import VitrineLoading
public import VitrineWidgets

extension ImageView {
  /// Loads the picture that is shown while the view is highlighted; as `setImage(from:)`.
  public func setHighlightedImage(
    from source: (any ImageRequestConvertible)?, additionalIdentifier: String? = nil,
    placeholder: Image? = nil, options: SlotOptions = .init(), completion: SlotCompletion? = nil,
    progress: SlotProgress? = nil
  ) {
    slots.slot(for: HighlightedTarget(imageView: self)).setImage(
      from: source, additionalIdentifier: additionalIdentifier, placeholder: placeholder,
      options: options, progress: progress, completion: completion)
  }

  /// Stops loading the highlighted picture; what is shown stays.
  public func cancelHighlightedImageLoad() { existingSlots?.slot(forKey: .highlighted)?.cancel() }
}
