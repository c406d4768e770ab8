import Synchronization
import VitrineCodecs
public import VitrineCurlTransport
import VitrineGraphics
public import VitrineLoading

/// Makes the shared downloader for a program without a window, or returns the one that is there: curl, local files, the codecs,
/// a memory cache and the disk cache of this user.
///
/// Call it once, when the program starts, and load with the result or with `ImageDownloader.shared`. `Application` does
/// this by itself. A later call returns the same downloader, whatever its arguments are: the first configuration stays, since
/// every downloader has threads, connections and a cache of its own. A program that needs another configuration shuts the shared
/// downloader down first, with `ImageDownloader.shutDown()`, or makes an `ImageDownloader` of its own. Unless the configuration
/// has a ledger of its own, what the loads and the cache take counts against the default budget of this machine; see
/// `MemoryBudget`.
///
/// - Returns: the downloader, which is `ImageDownloader.shared`.
@discardableResult
public nonisolated func bootstrap(
  downloader configuration: ImageDownloader.Configuration = .init(),
  transport: CurlTransport.Configuration = .init(),
  cache: @autoclosure () -> (any ImageRequestCache)? = MemoryImageCache(),
  dataCache: @autoclosure () -> (any ImageDataCache)? = DiskImageCache.shared
) -> ImageDownloader {
  bootstrapping.withLock { _ in
    if let shared = ImageDownloader.configured, !shared.isShutDown { return shared }
    return makeSharedDownloader(configuration, transport: transport, cache: cache(), dataCache: dataCache())
  }
}

/// Two threads that call `bootstrap` at once get the same downloader.
nonisolated private let bootstrapping = Mutex(())

/// Replaces `ImageDownloader.shared`; loads under way go on with the one that they began with.
nonisolated func makeSharedDownloader(
  _ configuration: ImageDownloader.Configuration, transport: CurlTransport.Configuration,
  cache: (any ImageRequestCache)?, dataCache: (any ImageDataCache)?
) -> ImageDownloader {
  var transport = transport
  // A download that the queue lets go must not wait again for a connection, its time limits running.
  transport.connectionsPerHost = max(
    transport.connectionsPerHost, configuration.maximumActiveDownloadsPerHost)
  var configuration = configuration
  let ledger = configuration.ledger ?? MemoryLedger(budget: MemoryBudget.machine.bytes)
  configuration.ledger = ledger
  MemoryPressureMonitor.watch(ledger)
  let downloader = ImageDownloader(
    configuration: configuration,
    transports: [CurlTransport(configuration: transport), LocalTransport()],
    decoder: ImageCodecs(), cache: cache, dataCache: dataCache)
  ImageDownloader.shared = downloader
  NetworkMonitor.watch(for: downloader)
  ClockMonitor.watch(for: downloader)
  return downloader
}
