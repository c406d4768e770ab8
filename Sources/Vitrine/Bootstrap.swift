import Synchronization
import VitrineCodecs
public import VitrineCurlTransport
public import VitrineDiskCache
import VitrineGraphics
public import VitrineLoading
import VitrinePlatform

/// Creates the shared downloader for a program without a window, or returns the existing one. The downloader has the
/// curl transport, local files, the codecs, a memory cache and the disk cache of this user.
///
/// Call this function once when the program starts, and load with the result or with `ImageDownloader.shared`.
/// `Application` does this itself. Later calls return the same downloader and ignore their arguments, because every
/// downloader has threads, connections and a cache of its own; `DiagnosticLog` reports once if the configuration is
/// another one. For another configuration, first shut down the shared downloader with `ImageDownloader.shutDown()`, or
/// create an `ImageDownloader`. Unless the configuration has a ledger, the memory of loads and of the cache counts
/// against the default budget of this machine; see `MemoryBudget`.
///
/// A program without a window keeps no decoded pixels on disk, unless `pixelCache` is given. Pixels in the seeds of
/// `dataCache` are found below this cache.
///
/// - Returns: The downloader, which is `ImageDownloader.shared`.
@discardableResult
public nonisolated func bootstrap(
  downloader configuration: ImageDownloader.Configuration = .init(),
  transport: CurlTransport.Configuration = .init(),
  cache: @autoclosure () -> (any ImageRequestCache)? = MemoryImageCache(),
  dataCache: @autoclosure () -> (any ImageDataCache)? = DiskImageCache.shared,
  pixelCache: @autoclosure () -> DiskPixelCache? = nil
) -> ImageDownloader {
  let (downloader, isFirstIgnored) = bootstrapping.withLock { _ -> (ImageDownloader, Bool) in
    if let shared = ImageDownloader.configured, !shared.isShutDown {
      let isFirst = sharedConfiguration.withLock { $0?.isFirstIgnored(configuration, transport) ?? false }
      return (shared, isFirst)
    }
    let made = makeSharedDownloader(
      configuration, transport: transport, cache: cache(), dataCache: dataCache(), pixelCache: pixelCache())
    return (made, false)
  }
  // Outside of the lock, because the handler of the log may call `bootstrap`.
  if isFirstIgnored { SharedConfiguration.reportIgnored() }
  return downloader
}

/// Held while the downloader is created, so that concurrent calls of `bootstrap` return the same downloader.
nonisolated private let bootstrapping = Mutex(())

/// The configuration of `ImageDownloader.shared`, unless the program has set another downloader.
nonisolated private let sharedConfiguration = Mutex<SharedConfiguration?>(nil)

/// The monitors that report to `ImageDownloader.shared`.
nonisolated private let sharedMonitors = Mutex<PlatformMonitors?>(nil)

/// The monitors of network and clock that report to one downloader.
nonisolated private struct PlatformMonitors {
  let network: NetworkMonitor?
  let clock: ClockMonitor?

  init(for downloader: ImageDownloader) {
    network = NetworkMonitor { [weak downloader] in downloader?.networkReturned() }
    clock = ClockMonitor { [weak downloader] in downloader?.clockStepped() }
  }
}

/// Replaces `ImageDownloader.shared`. Running loads continue with the downloader that started them.
nonisolated func makeSharedDownloader(
  _ configuration: ImageDownloader.Configuration, transport: CurlTransport.Configuration,
  cache: (any ImageRequestCache)?, dataCache: (any ImageDataCache)?, pixelCache: (any ImagePixelCache)?
) -> ImageDownloader {
  sharedConfiguration.withLock { $0 = SharedConfiguration(configuration, transport) }
  var transport = transport
  // A download that leaves the queue must not wait for a connection while its timeouts are already running.
  transport.connectionsPerHost = max(
    transport.connectionsPerHost, configuration.queue.maximumActiveDownloadsPerHost)
  var configuration = configuration
  let ledger = configuration.memory.ledger ?? MemoryLedger(budget: MemoryBudget.machine.bytes)
  configuration.memory.ledger = ledger
  MemoryPressureMonitor.watch(ledger)
  let downloader = ImageDownloader(
    configuration: configuration, transports: [CurlTransport(configuration: transport), LocalTransport()],
    decoder: ImageCodecs(), cache: cache, dataCache: dataCache,
    pixelCache: dataCache == nil ? nil : pixelCache.map { LayeredPixelCache.cache($0, with: dataCache) })
  ImageDownloader.shared = downloader
  sharedMonitors.withLock { $0 = PlatformMonitors(for: downloader) }
  return downloader
}
