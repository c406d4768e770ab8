public import VitrineAnimation
public import VitrineGraphics

/// The players of a view, one for each animated image.
final class AnimationPlayers {
  /// The maximum number of players of images that a view no longer shows, but may show again.
  private static let maximumCount = 8

  var autoplays = true
  private var players: [AnimationPlayer] = []

  func player(for image: Image, in view: View) -> AnimationPlayer? {
    if let known = players.first(where: { $0.image === image }) { return known }
    if let begun = players.last(where: { image.continues($0.image) }) {
      begun.goOn(with: image)
      return begun
    }
    guard let player = AnimationPlayer(image, in: view, autoplays: autoplays) else { return nil }
    players.append(player)
    if players.count > Self.maximumCount { players.removeFirst() }
    return player
  }

  func remove(_ player: AnimationPlayer) { players.removeAll { $0 === player } }

  /// Removes the players of previews that the view has replaced and does not draw any more, with their decoded frames. A
  /// preview is not shown again.
  func removeReplacedPreviews(of view: View) {
    players.removeAll { player in
      player.isProgressive && !view.holds(player.image)
        && !view.transitions.contains { $0.old.image === player.image || $0.new.image === player.image }
    }
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

  /// Returns the player of one of the view's images, such as that of a state of a button; `nil` if the image is still.
  public func animationPlayer(for image: Image) -> AnimationPlayer? {
    image.isAnimated ? existingPlayers.player(for: image, in: self) : nil
  }

  private var existingPlayers: AnimationPlayers {
    if let players { return players }
    let new = AnimationPlayers()
    players = new
    return new
  }

  func removePlayer(_ player: AnimationPlayer) { players?.remove(player) }

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
