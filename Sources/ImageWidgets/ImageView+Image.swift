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
    highlightedSlot.setImage(
      from: source, additionalIdentifier: additionalIdentifier, placeholder: placeholder,
      options: options, progress: progress, completion: completion)
  }

  /// Stops loading the highlighted picture; what is shown stays.
  public func cancelHighlightedImageLoad() { existingHighlightedSlot?.cancel() }

  /// Whether the highlighted picture is being loaded.
  public var isLoadingHighlightedImage: Bool { existingHighlightedSlot?.isLoading ?? false }

  /// The URL of the highlighted picture. Setting it loads it; setting nil cancels and clears.
  public var highlightedImageURL: String? {
    get { existingHighlightedSlot?.url }
    set { if let newValue { setHighlightedImage(from: newValue) } else { highlightedSlot.clear() } }
  }

  /// How the load of the highlighted picture goes, as `imageActivity` of a view.
  public var highlightedImageActivity: any ActivitySource { highlightedSlot }

  private var existingHighlightedSlot: ImageSlot? { existingSlots?.slot(forKey: .highlighted) }
  private var highlightedSlot: ImageSlot { slots.slot(for: HighlightedTarget(imageView: self)) }
}
