public import VitrineCurlTransport
public import VitrineDiskCache
public import VitrineGraphics
public import VitrineLoading
public import VitrinePlatform
public import VitrineSDLBackend
public import VitrineWidgets

/// A window with the components that load and show images: host, downloader and caches.
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
  /// The host of the window: video driver, frame time, screenshots and statistics.
  public let host: SDLHost
  /// The downloader of all images; also set as `ImageDownloader.shared` by `init`.
  public let downloader: ImageDownloader
  /// The memory cache of decoded images.
  public let cache: MemoryImageCache

  /// The root of the view tree.
  public var window: Window { host.window }

  /// The memory budget for images.
  public let memory: MemoryBudget

  /// The memory that images use now, by account, and the limit.
  public var ledger: MemoryLedger { downloader.ledger }

  /// The configuration of an application.
  public struct Configuration {
    /// The configuration of the host. `init` replaces the texture budget by that of `memory`, and the trace and the
    /// ledger by those of the downloader.
    public var host: SDLHost.Configuration
    /// The configuration of the downloader. `init` replaces the pixel format by the one that the renderer prefers.
    public var downloader: ImageDownloader.Configuration
    /// The configuration of HTTP and HTTPS transfers: user agent, proxy, certificates.
    public var transport: CurlTransport.Configuration
    /// The memory budget for caches, textures, response bodies and decoding together; a fraction of the machine's
    /// memory by default. If the downloader's configuration has a ledger, the budget of that ledger applies instead of
    /// `memory.bytes`.
    public var memory: MemoryBudget
    /// The disk cache of responses, or `nil` for none. By default a cache of 150 MiB in
    /// `DiskImageCache.defaultDirectory`, which is shared by all programs of a user.
    public var dataCache: (any ImageDataCache)?
    /// The cache of decoded pixels on disk, or `nil` for none. With pixels from disk, a second start shows images
    /// without decoding them. By default a cache in the same directory as the default `dataCache`. Not used without a
    /// `dataCache`, because pixels belong to a stored response. Pixels in the seeds of a `LayeredImageCache` are found
    /// below this cache.
    public var pixelCache: DiskPixelCache?
    /// The longest time in seconds for which the first frame waits for images from disk, and for the contents of views
    /// that are between `beginLoading()` and `endLoading()`; 0.05 by default. What arrives in this time is in the first
    /// frame. Later frames wait only for as long as they would be on time. 0 draws the first frame at once. Without a
    /// pixel cache, no frame waits.
    ///
    /// The network is asked about an image that the disk has not delivered after half a second, or after this time if it
    /// is longer, but at most after 9.5 seconds.
    public var firstFrameWait = 0.05

    /// Creates a configuration from the defaults of each part, with a window of 1280 x 800 points.
    public init(
      host: SDLHost.Configuration = .init(), downloader: ImageDownloader.Configuration = .init(),
      transport: CurlTransport.Configuration = .init(), memory: MemoryBudget = .machine,
      dataCache: (any ImageDataCache)? = DiskImageCache.shared,
      pixelCache: DiskPixelCache? = DiskPixelCache.shared
    ) {
      self.host = host
      self.downloader = downloader
      self.transport = transport
      self.memory = memory
      self.dataCache = dataCache
      self.pixelCache = pixelCache
    }

    /// The configuration of the downloader: the disk has at least as much time as the first
    /// frame waits.
    package var downloading: ImageDownloader.Configuration {
      var downloading = downloader
      if dataCache != nil, pixelCache != nil {
        downloading.diskPatience = max(downloading.diskPatience, firstFrameWait)
      }
      return downloading
    }
  }

  /// Opens the window and sets `ImageDownloader.shared`.
  ///
  /// Throws if there is no screen, no font or no SDL driver of the requested name, and on a thread other than the
  /// process's first. Tests run on such threads and use `TestScreen`.
  public init(configuration: Configuration) throws(SDLHostError) {
    guard SDLHost.isFirstThread else { throw .notFirstThread }
    memory = configuration.memory
    var hosting = configuration.host
    hosting.textureByteBudget = memory.textures
    hosting.trace = configuration.downloader.environment.trace
    let ledger = configuration.downloader.memory.ledger ?? MemoryLedger(budget: memory.bytes)
    hosting.ledger = ledger
    host = try SDLHost(configuration: hosting)
    cache = MemoryImageCache(
      capacity: memory.cacheCapacity, preferredUsageAfterPurge: memory.cacheUsageAfterPurge)
    var downloading = configuration.downloading
    downloading.decoding.pixelFormat = host.pixelFormat
    downloading.memory.ledger = ledger
    downloader = makeSharedDownloader(
      downloading, transport: configuration.transport, cache: cache, dataCache: configuration.dataCache,
      pixelCache: configuration.pixelCache)
    host.firstFrameWait = configuration.firstFrameWait
    host.waitForImages(of: downloader)
  }

  /// Creates an application with a window title and a window size in points, and defaults for everything else.
  public convenience init(title: String, size: Size = Size(width: 1280, height: 800)) throws(SDLHostError) {
    var configuration = Configuration()
    configuration.host.title = title
    configuration.host.size = size
    try self.init(configuration: configuration)
  }

  /// Shows the window until the user closes the window, Esc or Ctrl-C is pressed, or `quit()` is called.
  ///
  /// Also returns when the X server or the Wayland compositor has ended, and immediately on a thread other than the
  /// process's first; `host.failure` then has the reason. Before returning, waits up to 1 s for pending writes to the
  /// disk cache.
  public func run() {
    host.run()
    downloader.finishWriting(within: 1)
  }

  /// Evicts all images and textures that are not being shown. Call this when memory is short or the window will not be
  /// visible for a while.
  public func handleMemoryPressure() { ledger.handlePressure(.critical) }

  /// Makes `run()` return after the current iteration of the loop.
  public func quit() { host.quit() }
}
