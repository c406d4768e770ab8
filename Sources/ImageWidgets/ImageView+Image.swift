public import VitrineGraphics
public import VitrineLoading
public import VitrineWidgets

extension ImageView {
  /// Loads the image that is shown while the view is highlighted. The parameters are those of
  /// `View.setImage(from:additionalIdentifier:placeholder:options:completion:progress:)`.
  public func setHighlightedImage(
    from source: (any ImageRequestConvertible)?, additionalIdentifier: String? = nil,
    placeholder: Image? = nil, options: SlotOptions = .init(), completion: SlotCompletion? = nil,
    progress: SlotProgress? = nil
  ) {
    highlightedSlot.setImage(
      from: source, additionalIdentifier: additionalIdentifier, placeholder: placeholder,
      options: options, progress: progress, completion: completion)
  }

  /// Cancels the load of the highlighted image; the shown image stays.
  public func cancelHighlightedImageLoad() { existingHighlightedSlot?.cancel() }

  /// True while the highlighted image is loading.
  public var isLoadingHighlightedImage: Bool { existingHighlightedSlot?.isLoading ?? false }

  /// The URL of the highlighted image. Setting a URL loads the image; setting `nil` cancels the load and clears the
  /// image.
  public var highlightedImageURL: String? {
    get { existingHighlightedSlot?.url }
    set { if let newValue { setHighlightedImage(from: newValue) } else { highlightedSlot.clear() } }
  }

  /// The state of the load of the highlighted image; see `View.imageActivity`.
  public var highlightedImageActivity: any ActivitySource { highlightedSlot }

  private var existingHighlightedSlot: ImageSlot? { existingSlots?.slot(forKey: .highlighted) }
  private var highlightedSlot: ImageSlot { slots.slot(for: HighlightedTarget(imageView: self)) }
}
