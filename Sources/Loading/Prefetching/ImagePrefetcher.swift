/// Loads lists of pictures into memory, or onto the disk, before a view asks for them.
///
/// ```swift
/// let list = ImagePrefetcher.shared.prefetch(urls) { progress in
///   show("\(progress.finished - progress.skipped) of \(progress.total) are there")
/// }
/// list.cancel()  // what is left
/// ```
///
/// A few at once, list by list, each list from its beginning, at a low priority: a view that asks for a picture goes
/// before those that wait here, and joins one that runs. With fewer loads at once than the downloader has a host,
/// a view's transfer starts at once.
///
/// A request without a `targetSize` is decoded whole, which takes the most memory and serves a view of any size; give it
/// the size in pixels that the view will have. May be used from any thread; handlers are called on the main actor. When a
/// prefetcher goes, its lists are given up.
public final class ImagePrefetcher: Sendable {
  /// One for all, with the shared downloader.
  public static let shared = ImagePrefetcher()

  /// A picture of a list.
  public struct Item: Sendable {
    /// A request, URL or text.
    public var source: any ImageRequestConvertible
    /// What the picture is kept under; nil is an identifier of its own.
    public var additionalIdentifier: String?

    /// A picture, without an identifier unless there is one.
    public init(_ source: any ImageRequestConvertible, additionalIdentifier: String? = nil) {
      self.source = source
      self.additionalIdentifier = additionalIdentifier
    }
  }

  /// Where pictures are brought.
  public enum Destination: Hashable, Sendable {
    /// Into memory, and onto the disk of the downloader if it has one.
    case memory
    /// Onto the disk alone: for more pictures than memory has room for. Each is decoded at its smallest, to see that it
    /// is one; those that are there already, fresh or not, are left alone. All are skipped where there is no disk cache,
    /// and those that their servers forbid to keep.
    case disk
  }

  /// Hears how far a list is, on the main actor.
  public typealias Handler = @MainActor (ImagePrefetch.Progress) -> Void

  private let engine: PrefetchEngine

  /// A prefetcher of one's own, which shares its bound with no other.
  ///
  /// - Parameters:
  ///   - downloader: nil for `ImageDownloader.shared`, whichever that is when a picture's turn comes.
  ///   - maximumActiveLoads: pictures at once, see there.
  ///   - priority: what each load has in the downloader's queue; a request that has a lower one keeps it.
  ///   - destination: where the pictures are brought; into memory by default.
  public init(
    downloader: ImageDownloader? = nil, maximumActiveLoads: Int = 3, priority: ImageRequest.Priority = .low,
    destination: Destination = .memory
  ) {
    engine = PrefetchEngine(downloader: downloader, priority: priority, destination: destination)
    self.maximumActiveLoads = maximumActiveLoads
    engine.serve(self)
  }

  deinit { cancelAll() }

  /// Loads pictures by their requests, URLs or texts; see `prefetch(items:progress:completion:)`.
  @discardableResult
  public func prefetch(
    _ sources: [any ImageRequestConvertible], progress: Handler? = nil, completion: Handler? = nil
  ) -> ImagePrefetch {
    prefetch(items: sources.map { Item($0) }, progress: progress, completion: completion)
  }

  /// Loads pictures.
  ///
  /// `progress` is called after each picture, and `completion` once at the end, after that and after this call has returned,
  /// even for an empty list. A picture that fails or has no valid URL counts as skipped and stops nothing.
  @discardableResult
  public func prefetch(
    items: [Item], progress: Handler? = nil, completion: Handler? = nil
  ) -> ImagePrefetch {
    engine.add(items, PrefetchEngine.Handlers(progress: progress, completion: completion))
  }

  /// Gives up all lists; see `ImagePrefetch.cancel()`.
  public func cancelAll() { engine.change { $0.cancelAll() } }

  /// Pictures at once over all lists, 3 by default; below 1 counts as 1. A wider bound lets the next begin at once, a
  /// narrower one stops none.
  public var maximumActiveLoads: Int {
    get { engine.plan.maximumActive }
    set {
      engine.change { plan in
        plan.maximumActive = newValue
        return plan.resumed()
      }
    }
  }

  /// Whether no further picture begins; those that have go on.
  public var isPaused: Bool {
    get { engine.plan.isPaused }
    set {
      engine.change { plan in
        plan.isPaused = newValue
        return plan.resumed()
      }
    }
  }

  /// Lists that are not over.
  public var runningCount: Int { engine.plan.runningCount }

  /// Hears of all lists; held weakly.
  public var delegate: (any ImagePrefetcherDelegate)? {
    get { engine.delegate }
    set { engine.delegate = newValue }
  }
}
