public import VitrineGraphics
public import VitrineLoading
public import VitrineWidgets

extension Button {
  /// Loads the image for one state. The parameters are those of
  /// `View.setImage(from:additionalIdentifier:placeholder:options:completion:progress:)`; each state loads on its own.
  ///
  /// ```swift
  /// button.setImage(from: "https://example.com/play.png", for: .normal)
  /// button.setImage(from: "https://example.com/play-pressed.png", for: .highlighted)
  /// ```
  ///
  /// `state` is the exact set of states; a compound such as `[.selected, .highlighted]` is a slot of its own. A state
  /// without an image shows the image of `.normal`.
  public func setImage(
    from source: (any ImageRequestConvertible)?, for state: ControlState,
    additionalIdentifier: String? = nil, placeholder: Image? = nil, options: SlotOptions = .init(),
    completion: SlotCompletion? = nil, progress: SlotProgress? = nil
  ) {
    slots.slot(for: ButtonTarget(button: self, slot: .image, state: state)).setImage(
      from: source, additionalIdentifier: additionalIdentifier, placeholder: placeholder,
      options: options, progress: progress, completion: completion)
  }

  /// Loads the background image for one state; it fills the button behind the image and the title.
  public func setBackgroundImage(
    from source: (any ImageRequestConvertible)?, for state: ControlState,
    additionalIdentifier: String? = nil, placeholder: Image? = nil, options: SlotOptions = .init(),
    completion: SlotCompletion? = nil, progress: SlotProgress? = nil
  ) {
    slots.slot(for: ButtonTarget(button: self, slot: .background, state: state)).setImage(
      from: source, additionalIdentifier: additionalIdentifier, placeholder: placeholder,
      options: options, progress: progress, completion: completion)
  }

  /// Cancels the load of the image for a state; the shown image stays.
  public func cancelImageLoad(for state: ControlState) { existingSlot(.image, state)?.cancel() }

  /// Cancels the load of the background image for a state; the shown image stays.
  public func cancelBackgroundImageLoad(for state: ControlState) {
    existingSlot(.background, state)?.cancel()
  }

  /// Returns the URL from which the image for a state is loaded or was loaded.
  public func imageURL(for state: ControlState) -> String? { existingSlot(.image, state)?.url }

  /// Returns the URL from which the background image for a state is loaded or was loaded.
  public func backgroundImageURL(for state: ControlState) -> String? {
    existingSlot(.background, state)?.url
  }

  /// The URL of the image for the current state, or else for `.normal` (SDWebImage's `sd_currentImageURL`).
  public var currentImageURL: String? { currentURL(of: .image) }

  /// The URL of the background image for the current state, or else for `.normal`.
  public var currentBackgroundImageURL: String? { currentURL(of: .background) }

  /// Returns true while the image for a state is loading.
  public func isLoadingImage(for state: ControlState) -> Bool {
    existingSlot(.image, state)?.isLoading ?? false
  }

  /// Returns true while the background image for a state is loading.
  public func isLoadingBackgroundImage(for state: ControlState) -> Bool {
    existingSlot(.background, state)?.isLoading ?? false
  }

  /// Returns the state of the load of the image for a button state; see `View.imageActivity`.
  public func imageActivity(for state: ControlState) -> any ActivitySource {
    slots.slot(for: ButtonTarget(button: self, slot: .image, state: state))
  }

  /// Returns the state of the load of the background image for a button state; see `View.imageActivity`.
  public func backgroundImageActivity(for state: ControlState) -> any ActivitySource {
    slots.slot(for: ButtonTarget(button: self, slot: .background, state: state))
  }

  /// Returns the URL of the first slot that has one, in the order in which a button looks up states.
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
