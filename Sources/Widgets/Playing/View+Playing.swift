public import VitrineAnimation
public import VitrineGraphics

/// The players of a view: one for each animated image that belongs to the view, or that a transition still shows.
final class AnimationPlayers {
  var autoplays = true
  private var players: [AnimationPlayer] = []

  func player(for image: Image, in view: View) -> AnimationPlayer? {
    if let known = knownPlayer(of: image) { return known }
    guard view.plays(image), let player = AnimationPlayer(image, in: view, autoplays: autoplays) else {
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

  /// Ends the players of images that the view does not show again, and releases their decoders and frames.
  func removeUnused(of view: View) {
    let unused = players.filter { !view.plays($0.image) }
    guard !unused.isEmpty else { return }
    players.removeAll { player in unused.contains { $0 === player } }
    for player in unused { player.end() }
  }
}

extension View {
  /// True, the default, if animated images play as soon as they are drawn. Applies to images that are shown later.
  public var autoplaysAnimations: Bool {
    get { players?.autoplays ?? true }
    set { existingPlayers.autoplays = newValue }
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
  /// Plays the view's image; see `AnimationPlayer.play()`.
  public func play() { animationPlayer?.play() }
  /// Stops the view's image at the current frame.
  public func pause() { animationPlayer?.pause() }
  /// Shows a frame of the view's image; see `AnimationPlayer.seek(toFrame:)`.
  public func seek(toFrame frame: Int) { animationPlayer?.seek(toFrame: frame) }
  /// The speed of the view's image; 1 without an animation.
  public var playbackRate: Double {
    get { animationPlayer?.playbackRate ?? 1 }
    set { animationPlayer?.playbackRate = newValue }
  }
  /// The order of the frames of the view's image; `.forward` without an animation.
  public var playbackMode: PlaybackMode {
    get { animationPlayer?.playbackMode ?? .forward }
    set { animationPlayer?.playbackMode = newValue }
  }
}
