import CSDL
import Glibc
public import VitrineGraphics
public import VitrineWidgets

/// A window on a screen: shows what a view tree looks like, and hands it input, on any of SDL's video drivers.
///
/// ```swift
/// let host = try SDLHost(configuration: .init())
/// host.window.addSubview(gallery)
/// host.run()
/// ```
///
/// SDL wants the process's first thread, so `main` has to be synchronous and call `run()` itself. There is one host at
/// a time in a process. All of it is on the main actor.
@MainActor
public final class SDLHost {
  /// The top of the view tree. Its frame follows the size that the window has on the screen.
  public let window: Window
  /// The video driver that runs, by SDL's name in lower case: `kmsdrm`, `x11`, `wayland`, `offscreen`, `dummy`.
  public let videoDriver: String
  /// What should be told to whoever set the machine up, a line each; empty if all is well.
  public let warnings: [String]
  /// How far the picture is turned on its way to the screen.
  public let rotation: Rotation
  /// Whether Esc ends `run()` when neither a view nor `window.unhandledKey` has taken it: true by default.
  public var quitsOnEscape = true
  /// Where the time comes from.
  public var clock = HostClock.monotonic
  /// Where it notes when pictures are made ready for the screen and first seen on it.
  public let trace: Trace
  /// Why `run()` has ended although nobody asked it to; nil as long as all is well.
  public internal(set) var failure: SDLHostError?
  /// Whether somebody has asked the host to quit.
  public private(set) var isQuitting = false
  /// How many frames were presented, and what they took.
  public internal(set) var frameStatistics = FrameStatistics()

  let video: VideoSession
  let renderer: any Renderer
  let sleeper: Sleeper
  let mainQueue = MainQueue()
  let signals: QuitSignals
  var translator: InputTranslator
  let meter: FrameMeter
  private(set) var gamepads: Gamepads?
  private(set) var keyRepeat: KeyRepeat?
  var isVisible = true
  /// System time before which no other frame begins.
  var nextFrame = 0.0
  /// Asked by the ledger, which holds it weakly.
  private var textureHolder: TextureHolder?
  var turnObservers: [(identifier: Int, body: () -> Void)] = []

  private let fonts: FontLibrary
  private let start = SystemTime.now
  private var observersMade = 0

  /// Opens the window. With the drivers `offscreen` and `dummy` there is a picture but nothing to see it on.
  public init(configuration: Configuration) throws(SDLHostError) {
    // Before the signals change hands: the host that is open keeps them.
    guard !VideoSession.isRunning else { throw .anotherHostIsOpen }
    let devices = ScreenDevices(root: "")
    let drivers = VideoDriverChoice(
      requested: configuration.videoDriver, environment: { name in getenv(name).map { String(cString: $0) } },
      devices: devices)
    guard !drivers.names.isEmpty else { throw drivers.error(message: "") }
    let scale = configuration.usableScale
    fonts = try FontLibrary(fonts: configuration.fonts, scale: scale)
    // Before SDL, which then leaves the signals alone.
    signals = QuitSignals()
    video = try VideoSession(configuration: configuration, drivers: drivers)
    videoDriver = video.driver
    warnings = video.driver == "kmsdrm" ? devices.warnings : []
    renderer = try RendererChoice(configuration: configuration, video: video, fonts: fonts).renderer()
    trace = configuration.trace
    meter = FrameMeter(driver: video.driver, renderer: renderer.name)
    rotation = configuration.rotation
    sleeper = Sleeper(mainQueue: mainQueue, signals: signals, video: video)

    let size = video.size(rotation: rotation, scale: scale)
    window = Window(size: size, scale: scale, textMeasuring: fonts)
    window.frameInterval = 1 / video.refreshRate
    translator = InputTranslator(size: size, scale: scale, rotation: rotation)
    translator.quitsOnControlC = video.driver == "kmsdrm"
    translator.ownsCursor = video.driver == "kmsdrm"
    window.hostTime = { [weak self] in self?.now ?? 0 }
    window.hostScale = { [weak self] scale in
      self?.fonts.scale = scale
      self?.fitWindow()
    }
    window.hostKey = { [weak self] key, _ in
      guard let self, quitsOnEscape, key == .escape else { return false }
      quit()
      return true
    }
    let holder = TextureHolder { [weak self] bytes, pressure in
      self?.releaseTextures(bytes: bytes, pressure: pressure)
    }
    textureHolder = holder
    if let ledger = configuration.ledger { holder.count(against: ledger) }
    if configuration.readsGamepads, video.hasScreen { readGamepads() }
  }

  /// Lets game controllers press keys, those that are there and those that are plugged in later. A second call does
  /// nothing.
  func readGamepads() {
    guard gamepads == nil, video.isOpen, let opened = Gamepads() else { return }
    gamepads = opened
    keyRepeat = KeyRepeat(window: window)
    sleeper.watchesDevices = true
    sleeper.scanDevices()
  }

  // This is why the class says `@MainActor`, which is the module's default: in an optimised build Swift 6.3 does not
  // find the isolation of an isolated deinit when another module reads this one.
  isolated deinit { close() }

  /// Closes the window; nothing can be shown afterwards. A second call does nothing.
  public func close() {
    quit()
    signals.close()
    gamepads?.close()
    renderer.close()
    fonts.close()
    video.close()
  }

  /// Who draws: `software`, `opengles2` or `opengl`.
  public var rendererName: String { renderer.name }
  /// The order of bytes in which pictures should be decoded, so that drawing them needs no conversion.
  public var pixelFormat: PixelFormat { renderer.pixelFormat }
  /// Bytes that scaled pictures and drawn texts take now, or all that OpenGL was given but for the picture of the window.
  public var textureBytes: Int { renderer.textureBytes }

  /// A warning takes half of the textures; when it is critical only those stay that are on the screen.
  private func releaseTextures(bytes: Int, pressure: MemoryPressure?) {
    guard video.isOpen else { return }
    switch pressure {
    case nil: renderer.releaseTextures(bytes: bytes, keepsShown: false)
    case .warning: renderer.releaseTextures(bytes: max(bytes, textureBytes / 2), keepsShown: false)
    case .critical: renderer.releaseTextures(bytes: textureBytes, keepsShown: true)
    }
  }

  /// The host's time, in seconds; with the monotonic clock since the host was made.
  public var now: Double {
    switch clock {
    case .monotonic: SystemTime.now - start
    case .manual(let time): time()
    }
  }

  /// Ends `run()` after the turn under way. Later calls of it return at once.
  public func quit() { isQuitting = true }

  /// Hands an event to the views, as if it had come from a device.
  public func inject(_ event: InputEvent) {
    window.now = now
    window.handle(event)
  }

  /// Calls `body` after each turn of the loop. Returns a number for `removeTurnObserver`.
  @discardableResult
  public func addTurnObserver(_ body: @escaping () -> Void) -> Int {
    observersMade += 1
    turnObservers.append((observersMade, body))
    return observersMade
  }

  /// Ends the calls of an observer; an unknown number is ignored.
  public func removeTurnObserver(_ identifier: Int) {
    turnObservers.removeAll { $0.identifier == identifier }
  }
}
