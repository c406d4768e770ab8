public import VitrineAnimation
import VitrineConcurrency
public import VitrineGraphics

/// Plays an animated image in a view.
///
/// A view has a player for each animated image that it shows; see `View.animationPlayer`. The player shows the frame
/// that the durations give at the time of each frame of the window. Frames that are decoded too late are left out. An
/// animation with a damaged frame plays up to the damaged frame, and then starts again.
///
/// Playing stops while the view is not drawn: because it is hidden, transparent, moved or scrolled away, because its window
/// is hidden, or because it shows another image. Nothing is decoded and the window is not woken then; a view that shows
/// another image stops when the next frame is due. Playing goes on at the same frame when the view is drawn again.
///
/// When the image is replaced by the same animation at another size, or by a response with the same bytes, the player goes
/// on as well: at the same time, with the same settings and handlers. Another animation has another player, which begins
/// with the settings of the view: `View.playbackRate`, `View.playbackMode`, and whether the view is paused. Settings that
/// are made on a player belong to its animation.
///
/// The player of an image ends when the view's image, or that of a button's state, is replaced and the transition to the
/// new image is over. It then shows nothing and keeps no frames; setting the image again makes another player.
///
/// While the image is being loaded with previews, the player plays the frames that have arrived, and stays at the last one
/// until more arrive. The player, its handlers and its settings stay when a preview is replaced by a later one or by the
/// whole image, and playing goes on at the same frame; see `isProgressive`.
public final class AnimationPlayer {
  /// The number of frames that are asked for ahead.
  private static let framesAhead = 3
  /// The maximum number of seconds for which a program that advances the time itself waits for a frame.
  private static let longestWait = 5.0
  /// The number of seconds after which a player that waits for a frame looks whether the view is still on the screen.
  private static let waitingInterval = 0.5

  /// The animated image: the latest preview while the image is being loaded, and later the variant at the size of the
  /// view.
  public private(set) var image: Image
  /// Called when another frame is shown, with the number of the frame.
  public var frameHandler: ((Int) -> Void)?
  /// Called when a loop has ended, with the number of loops that have ended. Loops that end between two frames of the
  /// window are reported together.
  public var loopHandler: ((Int) -> Void)?
  /// Called when the last loop has ended. The last frame stays.
  public var endHandler: (() -> Void)?
  /// The number of the frame that is shown. While a frame is being decoded, the previous one is still shown.
  public private(set) var frameIndex = 0
  /// The number of frames that were left out because they were decoded too late, or because the window had no frame
  /// while they were to be shown.
  public private(set) var droppedFrames = 0 {
    didSet { FramePool.shared.countDropped(droppedFrames - oldValue) }
  }

  /// The bytes of the decoded frames of the image, which all views share, without the first frame.
  public var decodedBytes: Int { frames?.decodedBytes ?? 0 }

  private weak var view: View?
  private var playback: Playback
  private var frames: FrameStream?
  /// The pixels of the frame that is shown.
  private var shown: Image
  /// True if the application wants the animation to play whenever the view is drawn.
  private var wantsToPlay: Bool
  /// The number of loops that the application has set; `nil` to use that of the image.
  private var ownLoopCount: Int?
  /// True if `shown` was drawn since it was set.
  private var isDrawn = false
  /// True while frames of the window are requested.
  private var isScheduled = false
  /// True if a frame of the window was requested during the present one, for example by a handler. The request would
  /// otherwise be replaced by the time of the next change.
  private var wantsFrame = false
  /// True if the frame to show is not decoded yet.
  private var isWaiting = false

  /// Creates a player; `nil` for a still image.
  init?(_ image: Image, in view: View, _ settings: PlaybackSettings) {
    guard let animation = image.animation else { return nil }
    self.image = image
    self.view = view
    shown = image
    wantsToPlay = settings.autoplays && !settings.isPaused
    playback = Playback(
      times: animation.times, loopCount: animation.loopCount, isComplete: animation.isComplete,
      mode: settings.mode)
    playback.setRate(settings.rate, at: 0)
    isWaiting = playback.frame != 0
  }

  /// Goes on with an image of which more frames have arrived, or with the same animation at another size; see
  /// `Image.continues`. The view is drawn afterwards.
  func goOn(with image: Image) {
    guard let animation = image.animation else { return }
    // Only a preview has fewer frames.
    let isPreview = isProgressive
    if isPreview {
      playback = playback.continued(
        times: animation.times, loopCount: ownLoopCount ?? animation.loopCount,
        isComplete: animation.isComplete, at: now)
    } else {
      // The new image may have the frames that could not be decoded.
      playback.restoreAllFrames(at: now)
    }
    if shown === self.image { shown = image } else if !isPreview { isWaiting = true }
    self.image = image
    // An image that continues a preview shares the decoded frames of the preview. For an image of another size, the old
    // frame stays on the screen until a frame of the new image is decoded.
    if let begun = frames { frames = makeStream(continuing: isPreview ? begun : nil) }
    if isWaiting { wake() } else { reschedule() }
  }

  /// Returns a player of an image that continues this one's, with the same frame, settings and handlers, for a view that
  /// shows both images.
  func copy(for image: Image, in view: View) -> AnimationPlayer? {
    guard let copy = AnimationPlayer(self.image, in: view, PlaybackSettings()) else { return nil }
    (copy.frameHandler, copy.loopHandler, copy.endHandler) = (frameHandler, loopHandler, endHandler)
    (copy.playback, copy.ownLoopCount, copy.wantsToPlay) = (playback, ownLoopCount, wantsToPlay)
    (copy.shown, copy.frameIndex, copy.isWaiting) = (shown, frameIndex, isWaiting)
    copy.goOn(with: image)
    return copy
  }

  /// Ends the player for ever, and releases its frames and its decoder.
  func end() {
    view?.window?.cancelFrames(for: self)
    playback.pause(at: now)
    (view, frames, wantsToPlay, isWaiting, isScheduled) = (nil, nil, false, false, false)
    wantsFrame = false
    (shown, frameIndex) = (image, 0)
  }

  // MARK: Control

  /// True while the image is a preview: more frames are still to arrive.
  public var isProgressive: Bool { image.animation?.isComplete == false }

  /// True while the animation plays, or will play as soon as the view is drawn. False after the last loop.
  public var isPlaying: Bool { wantsToPlay && !playback.hasEnded }

  /// True while the animation plays on the screen. False while more frames must arrive first.
  public var isRunning: Bool { playback.isPlaying && !playback.isStalled }

  /// Plays the animation. An animation that has ended starts again.
  public func play() {
    guard view != nil else { return }
    wantsToPlay = true
    if playback.hasEnded {
      playback.rewind(at: now)
      isWaiting = true
    }
    redraw()
    wake()
  }

  /// Stops at the current frame.
  public func pause() {
    wantsToPlay = false
    playback.pause(at: now)
    // A frame that is still being decoded is shown first.
    if !isWaiting { rest() }
  }

  /// Stops, goes to the first frame and releases the decoded frames. Views that show the same image decode them again.
  public func stop() {
    isWaiting = false
    pause()
    // A new stream tries damaged frames again.
    playback.restoreAllFrames(at: now)
    playback.rewind(at: now)
    frames?.releaseFrames()
    frames = nil
    setShown(image, frame: 0)
  }

  /// Shows a frame, and goes on from there if the animation plays. Numbers without a frame are clamped.
  public func seek(toFrame frame: Int) {
    playback.seek(toFrame: frame, at: now)
    isWaiting = true
    redraw()
    wake()
  }

  /// The speed; by default that of the view. Values are clamped to 0.01…100.
  public var playbackRate: Double {
    get { playback.rate }
    set {
      playback.setRate(newValue, at: now)
      reschedule()
    }
  }

  /// The order of the frames; by default that of the view. A change starts the first loop again, at the current frame.
  public var playbackMode: PlaybackMode {
    get { playback.mode }
    set {
      playback.setMode(newValue, at: now)
      isWaiting = true
      redraw()
      wake()
    }
  }

  /// The number of loops after which the animation ends; 0 for ever. By default that of the image.
  public var loopCount: Int {
    get { playback.loopCount }
    set {
      ownLoopCount = max(0, newValue)
      playback.loopCount = max(0, newValue)
      // The animation may have played as many loops already, without a request for a frame.
      if isPlaying { wake() }
    }
  }

  /// The number of loops that have ended.
  public var endedLoops: Int { playback.endedLoops }

  // MARK: Drawing

  /// The pixels to draw. Called for each drawing of the view.
  func imageToDraw() -> Image {
    isDrawn = true
    if !isScheduled, isWaiting || isPlaying && !playback.isStalled { start() }
    return shown
  }

  private var now: Double { view?.window?.now ?? 0 }

  /// True if a part of the view is on the screen.
  var isOnScreen: Bool { view?.isOnScreen ?? false }

  private func redraw() { view?.setNeedsDisplay() }

  private func requestFrame(in window: Window, at time: Double) {
    isScheduled = true
    window.requestFrames(for: self, at: time, keepsBusy: false)
  }

  private func reschedule() { if isScheduled { wake() } }

  /// Asks the pool for the frame to show with the next frame of the window.
  private func wake() {
    guard let view, let window = view.window, view.isOnScreen else { return }
    wantsFrame = true
    requestFrame(in: window, at: window.now)
  }

  /// Begins to play with the frame that is being drawn, or goes on.
  private func start() {
    guard let view, let window = view.window, view.isOnScreen else { return }
    if isPlaying { playback.play(at: window.now) }
    guard !isWaiting, let next = playback.nextChange else {
      return requestFrame(in: window, at: window.now)
    }
    // The next frames are decoded meanwhile.
    _ = stream?.frame(for: demand(for: playback.frame))
    requestFrame(in: window, at: frameTime(of: next, in: window))
  }

  /// Returns the time of the frame of the window in which a change is shown. Changes that are near each other share a
  /// frame, unless a program advances the time.
  private func frameTime(of change: Double, in window: Window) -> Double {
    window.isInRealTime ? window.frameTime(notBefore: change) : change
  }

  private func setShown(_ image: Image, frame: Int) {
    guard image !== shown else { return }
    shown = image
    isDrawn = false
    redraw()
    guard frame != frameIndex else { return }
    frameIndex = frame
    frameHandler?(frame)
  }

  /// Stops until the view is drawn again, in this window or in another.
  ///
  /// - Parameter window: The window in which frames are requested.
  func suspend(in window: Window?) {
    window?.cancelFrames(for: self)
    playback.suspend(at: now)
    needNoFrames()
  }

  /// Ends the requests of a player whose frame is shown and that does not play. The image on the screen stays.
  private func rest() {
    view?.window?.cancelFrames(for: self)
    needNoFrames()
  }

  private func needNoFrames() {
    (isScheduled, wantsFrame) = (false, false)
    frames?.suspend()
  }
}

extension AnimationPlayer: FrameObserver {
  /// Called by the window when another frame is to be shown.
  public func frame(at now: Double) -> NextFrame {
    guard isDrawn || isWaiting, let view, let window = view.window, view.isOnScreen else {
      suspend(in: nil)
      return .never
    }
    wantsFrame = false
    if isPlaying { playback.play(at: now) }
    var progress = playback.advance(to: now)
    if progress.steps > 1 { droppedFrames += progress.steps - 1 }
    if progress.steps > 0, isWaiting { droppedFrames += 1 }
    var decoded = decodedFrame(progress.frame, in: window)
    if decoded?.number != progress.frame, leaveOutFrames(at: progress.frame, now) {
      let next = playback.advance(to: now)
      progress.frame = next.frame
      progress.endedLoops += next.endedLoops
      progress.hasEnded = progress.hasEnded || next.hasEnded
      decoded = decodedFrame(next.frame, in: window)
    }
    isWaiting = decoded?.number != progress.frame
    // Each handler may change the playback, or end the player by replacing the image.
    let endedLoops = playback.endedLoops
    // The first frame is the image itself, which other views may have drawn already.
    if let decoded { setShown(decoded.number == 0 ? image : decoded.image, frame: decoded.number) }
    if progress.endedLoops > 0, self.view != nil { loopHandler?(endedLoops) }
    if progress.hasEnded, self.view != nil { endHandler?() }
    if wantsFrame { return .at(now) }
    let change = playback.nextChange.map { frameTime(of: $0, in: window) }
    // A view may leave the screen while a frame is being decoded.
    let check = isWaiting ? now + Self.waitingInterval : nil
    guard let next = [change, check].compactMap(\.self).min() else {
      needNoFrames()
      return .never
    }
    return .at(next)
  }

  /// Demands a frame, and returns the frame to show: an earlier one, or none, if the frame is not decoded yet.
  private func decodedFrame(_ frame: Int, in window: Window) -> DecodedFrame? {
    let demand = demand(for: frame)
    return window.isInRealTime
      ? stream?.frame(for: demand) : stream?.frame(for: demand, waitingFor: Self.longestWait)
  }

  /// Plays on without the frames that cannot be decoded, if the given frame is one of them. Returns false if it is not.
  private func leaveOutFrames(at frame: Int, _ now: Double) -> Bool {
    guard let first = stream?.firstDamaged, frame >= first else { return false }
    return playback.leaveOut(from: first, at: now)
  }

  private func demand(for frame: Int) -> FrameDemand {
    // A view that does not play needs no further frame.
    FrameDemand(
      current: frame, upcoming: playback.isPlaying ? playback.upcomingFrames(Self.framesAhead) : [],
      time: playback.nextChange ?? 0)
  }

  private var stream: FrameStream? {
    if frames == nil { frames = makeStream(continuing: nil) }
    return frames
  }

  private func makeStream(continuing begun: FrameStream?) -> FrameStream? {
    FramePool.shared.frames(of: image, continuing: begun) { [weak self] in
      MainActorQueue.main.post { self?.frameWasDecoded() }
    }
  }

  private func frameWasDecoded() {
    if isWaiting { wake() }
  }
}
