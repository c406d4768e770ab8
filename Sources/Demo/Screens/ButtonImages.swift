import Vitrine

/// Loads images from the gallery's server into the buttons of a screen, one for each state.
final class ButtonImages {
  private let gallery: Gallery
  /// The image of slots whose image cannot be loaded.
  let failure: Image?

  init(gallery: Gallery, failure: Image?) {
    self.gallery = gallery
    self.failure = failure
  }

  /// An image file for some states of a button.
  struct File {
    let name: String
    let states: [ControlState]
  }

  /// The files of an image for all states: “NAME-normal.png” and so on.
  static func files(_ name: String, _ type: String = "png") -> [File] {
    [
      File(name: "\(name)-normal.\(type)", states: [.normal]),
      File(name: "\(name)-highlighted.\(type)", states: [.highlighted, [.selected, .highlighted]]),
      File(name: "\(name)-selected.\(type)", states: [.selected]),
      File(name: "\(name)-disabled.\(type)", states: [.disabled]),
    ]
  }

  /// Loads files as the images of a button.
  func loadImages(
    _ files: [File], into button: DemoButton, policy: ImageRequest.CachePolicy = .useCache
  ) {
    for file in files {
      for state in file.states {
        button.setImage(
          from: request(file.name, policy), for: state, additionalIdentifier: button.imageIdentifier,
          options: options(state), completion: failureRecorder(for: button))
      }
    }
  }

  /// Loads files as the background images of a button.
  func loadBackgrounds(
    _ files: [File], into button: DemoButton, policy: ImageRequest.CachePolicy = .useCache
  ) {
    for file in files {
      for state in file.states {
        var options = options(state)
        // An indicator and a failure image would cover the content, which must stay legible without a background.
        if button.title(for: .normal) != nil || button.hasIcon {
          options.indicator = .none
          options.failureImage = nil
        }
        button.setBackgroundImage(
          from: request(file.name, policy), for: state, additionalIdentifier: button.imageIdentifier,
          options: options, completion: failureRecorder(for: button))
      }
    }
  }

  /// Loads an image for the normal state that the server does not have in even attempts. A permanent failure: the
  /// program sleeps while the failure image is shown.
  func loadFailing(into button: DemoButton, attempt: Int) {
    button.setBackgroundImage(
      from: gallery.button(
        "scene-highlighted.jpg", query: attempt % 2 == 0 ? "status=404" : "try=\(attempt)"),
      for: .normal, options: options(.normal), completion: failureRecorder(for: button))
  }

  /// Loads the portrait through a transform, cached under an identifier.
  func loadPortrait(into button: DemoButton, identifier: String, transform: some ImageTransform) {
    guard var request = request("portrait.jpg", .useCache) else { return }
    request.transforms = [transform]
    button.setBackgroundImage(
      from: request, for: .normal, additionalIdentifier: identifier, options: options(.normal),
      completion: failureRecorder(for: button))
  }

  private func request(_ file: String, _ policy: ImageRequest.CachePolicy) -> ImageRequest? {
    var request = try? ImageRequest(gallery.button(file))
    request?.cachePolicy = policy
    return request
  }

  private func options(_ state: ControlState) -> SlotOptions {
    // The failure image of the normal state also applies to the other states.
    SlotOptions(failureImage: state == .normal ? failure : nil)
  }

  private func failureRecorder(for button: DemoButton) -> SlotCompletion {
    { [weak button] result in
      if case .failure(let error) = result, error != .cancelled { button?.hasFailed = true }
    }
  }
}
