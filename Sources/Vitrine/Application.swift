public import VitrineCurlTransport
public import VitrineGraphics
public import VitrineLoading
public import VitrineSDLBackend
public import VitrineWidgets

/// A window and everything behind it: host, downloader, cache, wired together.
///
/// ```swift
/// let application = try Application(title: "Hello")
/// let picture = ImageView(frame: Rect(x: 40, y: 40, width: 320, height: 240))
/// picture.setImage(from: "https://example.com/cover.jpg")
/// application.window.addSubview(picture)
/// application.run()
/// ```
///
/// `main` must be synchronous: on Linux, the main actor leaves the process's first thread in an asynchronous `main`,
/// and SDL has to stay on it. `init` then throws `.notFirstThread`. Foundation's `Timer` never fires, because
/// Foundation's run loop does not run; use `Window.after(_:perform:)` and `Window.every(_:perform:)`.
public final class Application {
  /// The window on the screen: its driver, its time, screenshots and figures.
  public let host: SDLHost
  /// What loads the pictures; also `ImageDownloader.shared`, from the moment the application is made.
  public let downloader: ImageDownloader
  /// The pictures in memory.
  public let cache: MemoryImageCache

  /// The top of the view tree.
  public var window: Window { host.window }

  /// What pictures may take in memory, and the shares of it.
  public let memory: MemoryBudget

  /// What all of them take now, by account, and the budget for it.
  public var ledger: MemoryLedger { downloader.ledger }

  /// What an application is made of.
  public struct Configuration {
    /// Its texture budget is replaced by the share of `memory`, its trace and its ledger by the downloader's.
    public var host: SDLHost.Configuration
    /// Its pixel format is replaced by the one that the renderer prefers.
    public var downloader: ImageDownloader.Configuration
    /// How http and https are fetched: user agent, proxy, certificates.
    public var transport: CurlTransport.Configuration
    /// What cache, textures, bodies and decoding may take together; a share of the machine's memory by default. A
    /// ledger of the downloader's configuration goes before its sum.
    public var memory: MemoryBudget
    /// What keeps the bytes of pictures between runs, nil for nothing; 150 MiB in `DiskImageCache.defaultDirectory` by
    /// default, which programs of one user share.
    public var dataCache: (any ImageDataCache)?

    /// The defaults of each part, and a window of 1280 x 800 points.
    public init(
      host: SDLHost.Configuration = .init(), downloader: ImageDownloader.Configuration = .init(),
      transport: CurlTransport.Configuration = .init(), memory: MemoryBudget = .machine,
      dataCache: (any ImageDataCache)? = DiskImageCache.shared
    ) {
      self.host = host
      self.downloader = downloader
      self.transport = transport
      self.memory = memory
      self.dataCache = dataCache
    }
  }

  /// Opens the window and sets `ImageDownloader.shared`. The program is taken to be all about pictures: glibc is told to
  /// keep the heaps of its threads in two arenas, unless the environment's `MALLOC_ARENA_MAX` says otherwise.
  ///
  /// Throws if there is no screen, no font or no SDL driver of the requested name, and on a thread other than the
  /// process's first. Tests run on such threads and use `TestScreen`.
  public init(configuration: Configuration) throws(SDLHostError) {
    guard SDLHost.isFirstThread else { throw .notFirstThread }
    HeapArenas.limit()
    memory = configuration.memory
    var hosting = configuration.host
    hosting.textureByteBudget = memory.textures
    hosting.trace = configuration.downloader.trace
    let ledger = configuration.downloader.ledger ?? MemoryLedger(budget: memory.bytes)
    hosting.ledger = ledger
    host = try SDLHost(configuration: hosting)
    cache = MemoryImageCache(
      capacity: memory.cacheCapacity, preferredUsageAfterPurge: memory.cacheUsageAfterPurge)
    var downloading = configuration.downloader
    downloading.pixelFormat = host.pixelFormat
    downloading.ledger = ledger
    downloader = makeSharedDownloader(
      downloading, transport: configuration.transport, cache: cache, dataCache: configuration.dataCache)
  }

  /// An application with a title and a window of a size in points, everything else by default.
  public convenience init(
    title: String, size: Size = Size(width: 1280, height: 800)
  ) throws(SDLHostError) {
    var configuration = Configuration()
    configuration.host.title = title
    configuration.host.size = size
    try self.init(configuration: configuration)
  }

  /// Shows the window until it is closed, Esc or Ctrl-C is pressed, or `quit()` is called.
  ///
  /// Also returns when the X server or the Wayland compositor has ended, and immediately on a thread other than the
  /// process's first; `host.failure` then has the reason. Pictures that are on their way to the disk have a second to
  /// get there.
  public func run() {
    host.run()
    downloader.finishWriting(within: 1)
  }

  /// Lets go of every picture and texture that is not being shown: the program has been told that memory is short, or
  /// will not be seen for a while (AF-F11).
  public func relieveMemoryPressure() { ledger.relieve(.critical) }

  /// Ends `run()` after the present turn.
  public func quit() { host.quit() }
}
