public import VitrineGraphics
public import VitrineLoading
public import VitrineWidgets

extension View {
  /// Loads an image into the view's contents.
  ///
  /// An image in memory is shown before the call returns, without placeholder, spinner or transition. Otherwise the
  /// placeholder is shown, or a spinner after 0.1 s if there is none; the loaded image appears with a cross-dissolve or
  /// another transition. A load in progress for other contents is cancelled; a load for the same image is joined. The
  /// image is decoded to the size of the view; a view without a size starts the load as soon as it has one. A
  /// progressive request shows previews, which are removed if the load fails.
  ///
  /// - Parameters:
  ///   - source: A `URL`, a `String` or an `ImageRequest`. Nil clears the slot: it shows the placeholder. A string that
  ///     is not a URL shows the placeholder too, or with `.keepsPrevious` the failure image or the previous image. Both
  ///     deliver `.invalidURL` after the call, at the latest before the slot begins another load.
  ///   - additionalIdentifier: Distinguishes images that are made from the same request in different ways.
  ///   - placeholder: The image shown during the load and after a failure; `nil` clears the view.
  ///   - options: The appearance during the load, the transition, and whether the view shows the image at all.
  ///   - completion: Called once on the main actor, for an image from memory before this function returns. Not called
  ///     again when a failed request is sent again automatically; see `SlotCompletion`.
  ///   - progress: Called on the main actor as bytes arrive.
  public func setImage(
    from source: (any ImageRequestConvertible)?, additionalIdentifier: String? = nil,
    placeholder: Image? = nil, options: SlotOptions = .init(), completion: SlotCompletion? = nil,
    progress: SlotProgress? = nil
  ) {
    contentsSlot.setImage(
      from: source, additionalIdentifier: additionalIdentifier, placeholder: placeholder,
      options: options, progress: progress, completion: completion)
  }

  /// Cancels the load of the contents; the shown image stays.
  public func cancelImageLoad() { existingContentsSlot?.cancel() }

  /// True while the contents are loading.
  public var isLoadingImage: Bool { existingContentsSlot?.isLoading ?? false }

  /// The URL of the contents. Setting a URL loads the image; setting `nil` cancels the load and clears the contents.
  public var imageURL: String? {
    get { existingContentsSlot?.url }
    set {
      if let newValue { setImage(from: newValue) } else { contentsSlot.clear() }
    }
  }

  /// The state of the load of the contents, for an indicator anywhere: running from the start of a load to its end,
  /// then ended until the next load starts. Released with the view.
  public var imageActivity: any ActivitySource { contentsSlot }

  private var existingContentsSlot: ImageSlot? { existingSlots?.slot(forKey: .contents) }
  private var contentsSlot: ImageSlot { slots.slot(for: ContentsTarget(view: self)) }
}
