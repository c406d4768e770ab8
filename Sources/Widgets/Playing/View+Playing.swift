public import VitrineAnimation
public import VitrineGraphics

/// The players of a view: one for each animated image that belongs to the view, or that a transition still shows.
final class AnimationPlayers {
  var settings = PlaybackSettings()
  private var players: [AnimationPlayer] = []

  func player(for image: Image, in view: View) -> AnimationPlayer? {
    if let known = knownPlayer(of: image) { return known }
    guard view.plays(image), let player = AnimationPlayer(image, in: view, settings) else {
      return nil
    }
    players.append(player)
    return player
  }

  private func knownPlayer(of image: Image) -> AnimationPlayer? { players.first { $0.image === image } }

  /// Lets the player of an image that was replaced go on with the new image, if that continues the animation.
  func playOn(from replaced: Image, to image: Image, in view: View) {
    guard let player = knownPlayer(of: replaced), knownPlayer(of: image) == nil, image.continues(replaced)
    else { return }
    if view.stillShows(replaced) {
      if let copy = player.copy(for: image, in: view) { players.append(copy) }
    } else {
      player.goOn(with: image)
    }
  }

  /// Stops all animations, and those that are set later.
  func pause() {
    settings.isPaused = true
    for player in players { player.pause() }
  }

  /// Sets the speed of all animations, and of those that are set later. Numbers that are not finite are ignored.
  func setRate(_ rate: Double) {
    guard let rate = Playback.clamped(rate) else { return }
    settings.rate = rate
    for player in players { player.playbackRate = rate }
  }

  /// Sets the order of the frames of all animations, and of those that are set later.
  func setMode(_ mode: PlaybackMode) {
    settings.mode = mode
    for player in players { player.playbackMode = mode }
  }

  /// Stops all players until the view is drawn again.
  ///
  /// - Parameter window: The window in which the players request frames.
  func suspend(in window: Window?) { for player in players { player.suspend(in: window) } }

  /// Ends the players of images that the view does not show again, and releases their decoders and frames.
  func removeUnused(of view: View) {
    let unused = players.filter { !view.plays($0.image) }
    guard !unused.isEmpty else { return }
    players.removeAll { player in unused.contains { $0 === player } }
    for player in unused { player.end() }
  }
}

extension View {
  /// True, the default, if animated images play as soon as they are drawn, unless the view is paused. Applies to images
  /// that are shown later.
  public var autoplaysAnimations: Bool {
    get { players?.settings.autoplays ?? true }
    set { existingPlayers.settings.autoplays = newValue }
  }

  /// The player of the view's image; `nil` if the image is still or there is none.
  public var animationPlayer: AnimationPlayer? { contents.flatMap { animationPlayer(for: $0) } }

  /// Returns the player of one of the view's images, such as that of a state of a button; `nil` if the image is still or
  /// does not belong to the view.
  public func animationPlayer(for image: Image) -> AnimationPlayer? {
    image.isAnimated ? existingPlayers.player(for: image, in: self) : nil
  }

  private var existingPlayers: AnimationPlayers {
    if let players { return players }
    let new = AnimationPlayers()
    players = new
    return new
  }

  /// Lets the player of an image that was replaced go on with the new image, if that continues the animation. Called
  /// before the transition to the new image begins.
  func playOn(from replaced: Image?, to image: Image?) {
    if let replaced, let image, replaced !== image { players?.playOn(from: replaced, to: image, in: self) }
  }

  /// Stops the animations of the view and of its subviews until they are drawn again, as soon as they are no longer on the
  /// screen. Otherwise they would stop when their next frame is due.
  func suspendAnimations() {
    players?.suspend(in: window)
    for child in subviews { child.suspendAnimations() }
  }

  /// Ends the players of images that were replaced and that no transition shows any longer.
  func removeUnusedPlayers() { players?.removeUnused(of: self) }

  /// True if an image belongs to the view, or is shown by a transition.
  fileprivate func plays(_ image: Image) -> Bool {
    stillShows(image) || transitions.contains { $0.new.image === image }
  }

  /// True if an image that was replaced belongs to the view in another state, or is fading out.
  fileprivate func stillShows(_ image: Image) -> Bool {
    heldImages.contains { $0 === image } || transitions.contains { $0.old.image === image }
  }

  /// Returns the pixels to draw for an image: the current frame if the image is animated.
  func frameToDraw(of image: Image) -> Image {
    guard image.isAnimated else { return image }
    return animationPlayer(for: image)?.imageToDraw() ?? image
  }

  // MARK: The view's image

  /// True while the view's image plays, or will play as soon as the view is drawn.
  public var isPlaying: Bool { animationPlayer?.isPlaying ?? false }
  /// True while the view shows a preview with the frames of an animation that have arrived; see
  /// `AnimationPlayer.isProgressive`.
  public var isProgressive: Bool { animationPlayer?.isProgressive ?? false }
  /// Plays the images of the view, for a button those of all states; see `AnimationPlayer.play()`.
  public func play() {
    players?.settings.isPaused = false
    for image in heldImages { animationPlayer(for: image)?.play() }
  }
  /// Stops the images of the view at their current frames. Animations that the view shows later do not play either, until
  /// `play()` is called; `AnimationPlayer.pause()` stops one animation.
  public func pause() { existingPlayers.pause() }
  /// Shows a frame of the view's image; see `AnimationPlayer.seek(toFrame:)`.
  public func seek(toFrame frame: Int) { animationPlayer?.seek(toFrame: frame) }
  /// The speed of the view's image, 1 by default. A new value applies to all images of the view, and to those that are set
  /// later. Values are clamped to 0.01…100; `AnimationPlayer.playbackRate` is the speed of one animation.
  public var playbackRate: Double {
    get { animationPlayer?.playbackRate ?? players?.settings.rate ?? 1 }
    set { existingPlayers.setRate(newValue) }
  }
  /// The order of the frames of the view's image, `.forward` by default. A new value applies to all images of the view, and
  /// to those that are set later; `AnimationPlayer.playbackMode` is the order of one animation.
  public var playbackMode: PlaybackMode {
    get { animationPlayer?.playbackMode ?? players?.settings.mode ?? .forward }
    set { existingPlayers.setMode(newValue) }
  }
}

extension Image {
  /// Returns the part of this frame that shows the same as a part of `image`, which has another size if the frame was
  /// decoded for an earlier variant of the image.
  func sourceRect(_ rect: Rect, of image: Image) -> Rect {
    guard pixelWidth != image.pixelWidth || pixelHeight != image.pixelHeight else { return rect }
    let (x, y) = (
      Double(pixelWidth) / Double(image.pixelWidth), Double(pixelHeight) / Double(image.pixelHeight)
    )
    return Rect(x: rect.minX * x, y: rect.minY * y, width: rect.width * x, height: rect.height * y)
  }
}
