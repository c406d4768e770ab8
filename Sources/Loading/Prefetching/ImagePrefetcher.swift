public import VitrineGraphics

/// Loads lists of images into memory, or onto disk, before a view requests the images.
///
/// ```swift
/// let size = imageView.decodeTarget()
/// let list = ImagePrefetcher.shared.prefetch(urls, targetSize: size) { progress in
///   show("\(progress.finished - progress.skipped) of \(progress.total) are there")
/// }
/// list.cancel()  // cancels the remaining images
/// ```
///
/// A few images are loaded at once, list after list, each list from its start, and at a low priority: a view's request
/// goes before waiting images, and joins a running load. With fewer loads at once than the downloader allows per host,
/// the transfer for a view starts at once.
///
/// Without a target size, images are decoded at full size, which takes the most memory and serves a view of any size.
/// Pass the size that the views need, from `View.decodeTarget(for:contentMode:)`. May be used from any thread; handlers
/// are called on the main actor. When a prefetcher is released, its lists are cancelled.
public final class ImagePrefetcher: Sendable {
  /// The prefetcher of the process, which uses the shared downloader.
  public static let shared = ImagePrefetcher()

  /// An image in a list.
  public struct Item: Sendable {
    /// The request, URL or text of the image.
    public var source: any ImageRequestConvertible
    /// The additional identifier of the image; nil is an identity of its own.
    public var additionalIdentifier: String?

    /// Creates an item; by default without an additional identifier.
    public init(_ source: any ImageRequestConvertible, additionalIdentifier: String? = nil) {
      self.source = source
      self.additionalIdentifier = additionalIdentifier
    }
  }

  /// The destination of prefetched images.
  public enum Destination: Hashable, Sendable {
    /// Memory, and the disk cache of the downloader if there is one.
    case memory
    /// The disk cache only, for more images than fit into memory. Each image is decoded at the smallest size to check
    /// the bytes. Images that are on disk already, fresh or stale, are not loaded. All images are skipped if there is
    /// no disk cache, and so are images whose servers forbid storing.
    case disk
  }

  /// A function that receives the progress of a list, on the main actor.
  public typealias Handler = @MainActor (ImagePrefetch.Progress) -> Void

  private let engine: PrefetchEngine

  /// Creates a prefetcher with a limit of its own.
  ///
  /// - Parameters:
  ///   - downloader: The downloader; nil, the default, uses `ImageDownloader.shared` at the time when each image
  ///     starts.
  ///   - maximumActiveLoads: The maximum number of concurrent loads; 3 by default.
  ///   - priority: The priority of the loads in the downloader's queue; `.low` by default. A request with a lower
  ///     priority keeps its own.
  ///   - destination: The destination of the images; memory by default.
  public init(
    downloader: ImageDownloader? = nil, maximumActiveLoads: Int = 3, priority: ImageRequest.Priority = .low,
    destination: Destination = .memory
  ) {
    engine = PrefetchEngine(downloader: downloader, priority: priority, destination: destination)
    self.maximumActiveLoads = maximumActiveLoads
    engine.setPrefetcher(self)
  }

  deinit { cancelAll() }

  /// Loads images by their requests, URLs or texts; see `prefetch(items:targetSize:progress:completion:)`.
  @discardableResult
  public func prefetch(
    _ sources: [any ImageRequestConvertible], targetSize: DecodeTarget? = nil, progress: Handler? = nil,
    completion: Handler? = nil
  ) -> ImagePrefetch {
    prefetch(
      items: sources.map { Item($0) }, targetSize: targetSize, progress: progress, completion: completion)
  }

  /// Loads a list of images.
  ///
  /// `progress` is called after each image. `completion` is called once at the end, after the last progress and after
  /// this call has returned, even for an empty list. An image that fails or has no valid URL counts as skipped, and the
  /// list continues.
  ///
  /// - Parameters:
  ///   - items: The images, the most important first.
  ///   - targetSize: The size to which images are decoded whose requests have no `targetSize` of their own; `nil`, the
  ///     default, decodes all pixels.
  ///   - progress: Called with the progress of the list.
  ///   - completion: Called with the final progress.
  @discardableResult
  public func prefetch(
    items: [Item], targetSize: DecodeTarget? = nil, progress: Handler? = nil, completion: Handler? = nil
  ) -> ImagePrefetch {
    engine.add(
      items, targetSize: targetSize, PrefetchEngine.Handlers(progress: progress, completion: completion))
  }

  /// Cancels the images of some sources in all lists, in any size and with any additional identifier. They count as
  /// skipped, and the lists continue. Images that have ended stay in memory and on disk. Takes time proportional to the
  /// number of remaining images.
  public func cancel(_ sources: [any ImageRequestConvertible]) { engine.cancel(sources) }

  /// Cancels all lists; see `ImagePrefetch.cancel()`.
  public func cancelAll() { engine.change { $0.cancelAll() } }

  /// The maximum number of concurrent loads over all lists; 3 by default. Values below 1 count as 1. A higher limit
  /// starts waiting images at once; a lower limit stops no running load.
  public var maximumActiveLoads: Int {
    get { engine.plan.maximumActive }
    set {
      engine.change { plan in
        plan.maximumActive = newValue
        return plan.resumed()
      }
    }
  }

  /// True to start no further images; false by default. Running loads continue.
  public var isPaused: Bool {
    get { engine.plan.isPaused }
    set {
      engine.change { plan in
        plan.isPaused = newValue
        return plan.resumed()
      }
    }
  }

  /// The number of lists that have not ended.
  package var runningCount: Int { engine.plan.runningCount }

  /// The delegate, which is notified of all lists; held weakly.
  public var delegate: (any ImagePrefetcherDelegate)? {
    get { engine.delegate }
    set { engine.delegate = newValue }
  }
}
