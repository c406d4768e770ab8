import CSDL
import Glibc
import VitrineConcurrency
public import VitrineGraphics
public import VitrineWidgets

/// A window on a screen. Draws a view tree and passes input to it, on any of SDL's video drivers.
///
/// ```swift
/// let host = try SDLHost(configuration: .init())
/// host.window.addSubview(gallery)
/// host.run()
/// ```
///
/// SDL needs the process's first thread, so `main` must be synchronous and call `run()` itself. A process can have one
/// host at a time. All members are isolated to the main actor.
@MainActor
public final class SDLHost {
  /// The root of the view tree. Its frame follows the size of the window on the screen.
  public let window: Window
  /// The active video driver, SDL's name in lower case: `kmsdrm`, `x11`, `wayland`, `offscreen`, `dummy`.
  public let videoDriver: String
  /// Warnings for the person who sets up the machine, one line each; empty if there are none.
  public let warnings: [String]
  /// The clockwise rotation of the interface on the panel.
  public let rotation: Rotation
  /// True if Escape ends `run()` when neither a view nor `window.unhandledKey` handles the key. True by default.
  public var quitsOnEscape = true
  /// The source of the host's time; `.monotonic` by default.
  package var clock = HostClock.monotonic {
    didSet { window.isInRealTime = if case .monotonic = clock { true } else { false } }
  }
  /// Waits for images that the disk is about to deliver, at most for the given number of seconds, and runs their
  /// handlers. Called before a frame is drawn if a slot on the screen has begun to load an image since the previous
  /// frame; `nil`, the default, never waits. Set by `Application`.
  package var frameGate: ((_ limit: Double) -> Void)?
  /// The longest wait of the first frame in seconds; 0.05 by default. 0 draws the first frame at once.
  package var firstFrameWait = FrameWait.firstFrameLimit
  /// The trace that records when textures are made and when images are first shown.
  public let trace: Trace
  /// The reason why `run()` ended without a call to `quit()`; `nil` if there is none.
  public internal(set) var failure: SDLHostError?
  /// True after `quit()`, a closed window, SIGINT, SIGTERM or the loss of the display server.
  public private(set) var isQuitting = false
  /// The number of presented frames, and the time of the work on each.
  public internal(set) var frameStatistics = FrameStatistics()

  let video: VideoSession
  let renderer: any Renderer
  let sleeper: Sleeper
  let mainQueue = MainQueue()
  let signals: QuitSignals
  var translator: InputTranslator
  let meter: FrameMeter
  private(set) var gamepads: Gamepads?
  let keyRepeat: KeyRepeat
  var isVisible = true
  /// The system time before which no frame begins.
  var nextFrame = 0.0
  /// The system time from which the wait of the first frame counts; `nil` before, and once that frame is presented.
  var firstFrameDue: Double?
  /// The time that drawing the last frame took, in seconds.
  var lastDrawingTime = 0.0
  /// The textures' memory holder. The ledger has only a weak reference to it.
  private var textureHolder: TextureHolder?
  private(set) var turnObservers = ObserverList<() -> Void>()

  private let fonts: FontLibrary
  private let start = SystemTime.now

  /// Opens the window. With the drivers `offscreen` and `dummy`, frames are drawn but not visible.
  public init(configuration: Configuration) throws(SDLHostError) {
    // Checked before the signal handlers change: an existing host keeps its handlers.
    guard !VideoSession.isRunning else { throw .anotherHostIsOpen }
    let devices = ScreenDevices(root: "")
    func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    var drivers = VideoDriverChoice(
      requested: configuration.videoDriver, environment: environment, devices: devices)
    if drivers.names.contains("wayland"), WaylandSeat.isMissing(environment: environment) {
      drivers.removeWaylandWithoutSeat()
    }
    guard !drivers.names.isEmpty else { throw drivers.error(message: "") }
    let scale = configuration.usableScale
    fonts = try FontLibrary(fonts: configuration.fonts, scale: scale)
    // Created before SDL starts, because SDL leaves existing signal handlers alone.
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
    keyRepeat = KeyRepeat(window: window)
    window.frameInterval = 1 / video.refreshRate
    window.isInRealTime = true
    translator = InputTranslator(size: size, scale: scale, rotation: rotation)
    translator.quitsOnControlC = video.driver == "kmsdrm"
    translator.ownsCursor = video.coversScreen
    window.hostTime = { [weak self] in self?.now ?? 0 }
    window.prepareImage = { [weak self] command in
      guard let self, video.isOpen else { return }
      renderer.prepare(command, scale: window.scale)
    }
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

  /// Lets game controllers act as keyboards, including controllers that are connected later. Further
  /// calls do nothing.
  func readGamepads() {
    guard gamepads == nil, video.isOpen, let opened = Gamepads() else { return }
    gamepads = opened
    sleeper.watchesDevices = true
    sleeper.scanDevices()
  }

  isolated deinit { close() }

  /// Closes the window. Nothing can be shown afterwards. Further calls do nothing.
  public func close() {
    quit()
    signals.close()
    gamepads?.close()
    renderer.close()
    fonts.close()
    video.close()
  }

  /// The name of the renderer: `software`, `opengles2` or `opengl`.
  public var rendererName: String { renderer.name }
  /// The byte order in which images should be decoded, so that drawing needs no conversion. `Application` passes it to
  /// the downloader; a program passes it to `AssetImage.load`, or to a downloader of its own.
  public var pixelFormat: PixelFormat { renderer.pixelFormat }
  /// The bytes of all textures: scaled images and drawn texts, and with OpenGL all images except the window's own
  /// texture.
  public var textureBytes: Int { renderer.textureBytes }

  /// Evicts textures: `bytes` without memory pressure, at least half of all for a warning, and all that are not on the
  /// screen when memory is critical.
  private func releaseTextures(bytes: Int, pressure: MemoryPressure?) {
    guard video.isOpen else { return }
    switch pressure {
    case nil: renderer.releaseTextures(bytes: bytes, keepsShown: false)
    case .warning: renderer.releaseTextures(bytes: max(bytes, textureBytes / 2), keepsShown: false)
    case .critical: renderer.releaseTextures(bytes: textureBytes, keepsShown: true)
    }
  }

  /// The host's time in seconds. With the monotonic clock, time 0 is the creation of the host.
  package var now: Double {
    switch clock {
    case .monotonic: SystemTime.now - start
    case .manual(let time): time()
    }
  }

  /// Handles the input of a game controller, like that of a connected one. For controllers that SDL does not read, and for
  /// scripts. Works without a screen, and if `Configuration.readsGamepads` is false.
  public func inject(gamepad input: GamepadInput) {
    for event in input.events { handle(event) }
  }

  /// Ends `run()` after the current turn. Later calls of `run()` return at once.
  public func quit() { isQuitting = true }

  /// Passes an event to the views, like an event from a device. For input that SDL does not read, such as buttons on
  /// GPIO pins or a remote control, and for scripts.
  public func inject(_ event: InputEvent) {
    window.now = now
    window.handle(event)
  }

  /// Calls `body` after each turn of the loop, for a program that watches its window, for example until it is idle.
  /// Returns an identifier for `removeTurnObserver`.
  @discardableResult
  public func addTurnObserver(_ body: @escaping () -> Void) -> Int { turnObservers.add(body) }

  /// Removes an observer. Unknown identifiers are ignored.
  public func removeTurnObserver(_ identifier: Int) { turnObservers.remove(identifier) }
}
