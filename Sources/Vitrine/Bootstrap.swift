import VitrineCodecs
public import VitrineCurlTransport
import VitrineGraphics
public import VitrineLoading

/// Makes the shared downloader for a program without a window: curl, local files, the codecs, a memory
/// cache and the disk cache of this user.
///
/// `Application` does this by itself. A second call replaces `ImageDownloader.shared`; loads under way go on
/// with the one that they began with. Unless the configuration has a ledger of its own, what the loads and the cache take
/// counts against the default budget of this machine; see `MemoryBudget`.
///
/// - Returns: the downloader, which is `ImageDownloader.shared` from now on.
@discardableResult
public func bootstrap(
  downloader configuration: ImageDownloader.Configuration = .init(),
  transport: CurlTransport.Configuration = .init(),
  cache: (any ImageRequestCache)? = MemoryImageCache(),
  dataCache: (any ImageDataCache)? = DiskImageCache.shared
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
