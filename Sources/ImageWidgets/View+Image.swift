public import VitrineGraphics
public import VitrineLoading
public import VitrineWidgets

extension View {
  /// Loads a picture into the view's contents.
  ///
  /// What is in memory is shown before the call returns, without placeholder, spinner or fade. Otherwise the
  /// placeholder is shown, or nothing; a spinner after 0.1 s; when it comes, the picture fades in, or comes with
  /// another transition. A load that was under way for other contents is cancelled; one for the same picture is
  /// joined. The picture is decoded to the size of the view; a view without a size loads as soon as it has one. What a
  /// request that is `progressive` has brought so far is shown in part, and gone again where the whole fails.
  ///
  /// - Parameters:
  ///   - source: A `URL`, a `String` or an `ImageRequest`. Nil clears the slot: it shows the placeholder. A text that is
  ///     not a URL shows the placeholder too, or with `.keepsPrevious` the failure image or the previous image. Both
  ///     deliver `.invalidURL` after the call, at the latest before the slot begins another load.
  ///   - additionalIdentifier: tells apart pictures of one request that are made differently (AF-F4).
  ///   - placeholder: shown while it loads, and if it fails; nil clears.
  ///   - options: how it looks while it loads and when it has; whether it sets the picture at all.
  ///   - completion: called once on the main actor: before this returns for a picture from memory. Not called again
  ///     when a failed request is sent again automatically; see `SlotCompletion`.
  ///   - progress: called on the main actor as bytes come.
  public func setImage(
    from source: (any ImageRequestConvertible)?, additionalIdentifier: String? = nil,
    placeholder: Image? = nil, options: SlotOptions = .init(), completion: SlotCompletion? = nil,
    progress: SlotProgress? = nil
  ) {
    contentsSlot.setImage(
      from: source, additionalIdentifier: additionalIdentifier, placeholder: placeholder,
      options: options, progress: progress, completion: completion)
  }

  /// Stops loading the contents; what is shown stays.
  public func cancelImageLoad() { existingContentsSlot?.cancel() }

  /// Whether the contents are being loaded.
  public var isLoadingImage: Bool { existingContentsSlot?.isLoading ?? false }

  /// The URL of the contents. Setting it loads them; setting nil cancels and clears.
  public var imageURL: String? {
    get { existingContentsSlot?.url }
    set {
      if let newValue { setImage(from: newValue) } else { contentsSlot.clear() }
    }
  }

  /// How the load of the contents goes, for an indicator anywhere: running from its start to its end, then ended, until
  /// there is another. Goes with the view.
  public var imageActivity: any ActivitySource { contentsSlot }

  private var existingContentsSlot: ImageSlot? { existingSlots?.slot(forKey: .contents) }
  private var contentsSlot: ImageSlot { slots.slot(for: ContentsTarget(view: self)) }
}
