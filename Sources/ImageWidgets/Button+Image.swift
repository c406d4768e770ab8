public import VitrineGraphics
public import VitrineLoading
public import VitrineWidgets

extension Button {
  /// Loads the image of one state; as `View.setImage(from:)`, each state for itself.
  ///
  /// ```swift
  /// button.setImage(from: "https://example.com/play.png", for: .normal)
  /// button.setImage(from: "https://example.com/play-pressed.png", for: .highlighted)
  /// ```
  ///
  /// `state` is the exact set of states; a compound such as `[.selected, .highlighted]` is a slot of its own.
  /// A state without an image shows the one of `.normal`.
  public func setImage(
    from source: (any ImageRequestConvertible)?, for state: ControlState,
    additionalIdentifier: String? = nil, placeholder: Image? = nil, options: SlotOptions = .init(),
    completion: SlotCompletion? = nil, progress: SlotProgress? = nil
  ) {
    slots.slot(for: ButtonTarget(button: self, slot: .image, state: state)).setImage(
      from: source, additionalIdentifier: additionalIdentifier, placeholder: placeholder,
      options: options, progress: progress, completion: completion)
  }

  /// Loads the background image of one state; it fills the button behind image and title.
  public func setBackgroundImage(
    from source: (any ImageRequestConvertible)?, for state: ControlState,
    additionalIdentifier: String? = nil, placeholder: Image? = nil, options: SlotOptions = .init(),
    completion: SlotCompletion? = nil, progress: SlotProgress? = nil
  ) {
    slots.slot(for: ButtonTarget(button: self, slot: .background, state: state)).setImage(
      from: source, additionalIdentifier: additionalIdentifier, placeholder: placeholder,
      options: options, progress: progress, completion: completion)
  }

  /// Stops loading the image of a state; what is shown stays.
  public func cancelImageLoad(for state: ControlState) { existingSlot(.image, state)?.cancel() }

  /// Stops loading the background image of a state; what is shown stays.
  public func cancelBackgroundImageLoad(for state: ControlState) {
    existingSlot(.background, state)?.cancel()
  }

  /// The URL that the image of a state was loaded from, or is being loaded from.
  public func imageURL(for state: ControlState) -> String? { existingSlot(.image, state)?.url }

  /// The URL that the background image of a state was loaded from, or is being loaded from.
  public func backgroundImageURL(for state: ControlState) -> String? {
    existingSlot(.background, state)?.url
  }

  /// The URL of the image that the state of now shows: its own, or else that of `.normal` (`sd_currentImageURL`).
  public var currentImageURL: String? { currentURL(of: .image) }

  /// The URL of the background image that the state of now shows, in the same way.
  public var currentBackgroundImageURL: String? { currentURL(of: .background) }

  /// Whether the image of a state is being loaded.
  public func isLoadingImage(for state: ControlState) -> Bool {
    existingSlot(.image, state)?.isLoading ?? false
  }

  /// Whether the background image of a state is being loaded.
  public func isLoadingBackgroundImage(for state: ControlState) -> Bool {
    existingSlot(.background, state)?.isLoading ?? false
  }

  /// How the load of a state's image goes, as `imageActivity` of a view.
  public func imageActivity(for state: ControlState) -> any ActivitySource {
    slots.slot(for: ButtonTarget(button: self, slot: .image, state: state))
  }

  /// How the load of a state's background image goes, as `imageActivity` of a view.
  public func backgroundImageActivity(for state: ControlState) -> any ActivitySource {
    slots.slot(for: ButtonTarget(button: self, slot: .background, state: state))
  }

  /// Of the first slot with a URL, in the order in which states are looked up.
  private func currentURL(of slot: ButtonSlot) -> String? {
    for candidate in [state, state.subtracting(.focused), .normal] {
      if let url = existingSlot(slot, candidate)?.url { return url }
    }
    return nil
  }

  private func existingSlot(_ slot: ButtonSlot, _ state: ControlState) -> ImageSlot? {
    existingSlots?.slot(forKey: .button(slot, state))
  }
}
