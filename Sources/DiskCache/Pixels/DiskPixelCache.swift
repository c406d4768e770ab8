public import FoundationEssentials
public import VitrineGraphics
import Synchronization
public import VitrineConcurrency
public import VitrineLoading

/// A disk cache of decoded pixels, ready to be shown, beside the responses of a `DiskImageCache`: an image that was
/// shown before is shown again without decoding.
///
/// Many small images share a file (a pack), and an index says where the pixels of an image are. A hit reads twice and
/// usually opens no file; opening the cache and a hit cost the same with a thousand and with a hundred thousand images.
/// Pixels belong to the bytes that they were made from: when the response is replaced or removed, they are not shown
/// any more.
///
/// Made for machines that lose power without warning: each entry identifies itself and has hashes of its contents, and
/// a damaged entry is a cache miss. Several processes may share a folder. They do not wait for each other, except for
/// some microseconds while one of them changes an entry of the index.
///
/// Showing the same images again writes nothing, except for one time stamp per pack and day. If the images that are
/// shown need more than `Limits.bytes`, new images are not stored instead of replacing what was shown a short time ago.
///
/// Every method blocks while the disk works. Lookups do not wait for stores. No method throws; after a failed write,
/// writing pauses for a minute (`fault`).
public final class DiskPixelCache: ImagePixelCache {
  let context: PixelContext
  private let lookup: PixelLookup
  private let records: PixelStore
  let inventory: PixelInventory

  /// Creates a cache in `directory`, without access to the disk. The directory is created when pixels are first stored.
  /// Other processes of this user may share it.
  ///
  /// - Parameters:
  ///   - directory: The path of a cache directory, usually that of a `DiskImageCache`. A relative path is resolved
  ///     against the current folder at the time of this call. The pixels are in the folder `p1`.
  ///   - limits: The limits of the cache.
  ///   - clock: The clock for uses and for the pause of writes after a failure; `nil`, the default, for the system's
  ///     clock.
  ///   - wallClock: A clock that returns seconds since 1970. Its time may jump.
  public convenience init(
    directory: String, limits: Limits = Limits(), clock: (any LoadingClock)? = nil,
    wallClock: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
  ) {
    self.init(
      directory: directory, limits: limits, clock: clock ?? SystemLoadingClock(), wallClock: wallClock,
      system: LinuxDiskSystem())
  }

  /// Creates a cache that only reads `directory`: a seed, which another program or another user has filled, for example
  /// on a read-only root. Nothing in the directory changes, not even the times of files; stores, removals and trims do
  /// nothing.
  ///
  /// The same rules apply as for `DiskImageCache.init(seed:wallClock:)`: the directory, its folder `p1` and the files
  /// in it must belong to this user or to root, and no other user may be able to write to them; otherwise nothing is
  /// found, and `fault` says why. A directory that does not exist is an empty cache.
  ///
  /// `Application` and `bootstrap` look for pixels in the seeds of a `LayeredImageCache` by themselves. Use this cache
  /// as their `pixelCache` only if there is no writable one.
  public convenience init(seed directory: String) {
    self.init(directory: directory, access: .seed, limits: .seed)
  }

  /// Creates a cache for a tool that lists or checks `directory`, and changes nothing there, like a seed. Other users
  /// may be able to write to the directory, because nothing that is found is shown.
  package convenience init(inspecting directory: String) {
    self.init(directory: directory, access: .inspection, limits: .seed)
  }

  /// Creates a cache for a tool that changes `directory`, which may be a seed that programs of other users read at the
  /// same time: folders that all users may read stay so. New packs are private until
  /// `DiskImageCache.openToAllReaders`.
  package convenience init(keepingReadersOf directory: String, limits: Limits = Limits()) {
    self.init(directory: directory, access: .keepingReaders, limits: limits)
  }

  private convenience init(directory: String, access: FolderAccess, limits: Limits) {
    self.init(
      directory: directory, access: access, limits: limits, clock: SystemLoadingClock(),
      wallClock: { Date().timeIntervalSince1970 }, system: LinuxDiskSystem())
  }

  /// Creates a cache that uses `system`.
  init(
    directory: String, access: FolderAccess = .owner, limits: Limits, clock: any LoadingClock,
    wallClock: @escaping @Sendable () -> Double, system: any DiskSystem
  ) {
    let path = CacheDirectory.absolute(directory)
    let folder = CacheFolder(path: path, access: access, system: system) { ContentHash($0) }
    context = PixelContext(folder: folder, limits: limits, clock: clock, wallClock: wallClock)
    lookup = PixelLookup(context: context)
    records = PixelStore(context: context)
    inventory = PixelInventory(context: context)
  }

  /// The cache in `DiskImageCache.defaultDirectory` with the default limits; nil if there is no default directory.
  public static let shared: DiskPixelCache? = DiskPixelCache()

  /// Creates a cache in `DiskImageCache.defaultDirectory`; nil if there is no default directory.
  public convenience init?(limits: Limits = Limits()) {
    guard let directory = DiskImageCache.defaultDirectory else { return nil }
    self.init(directory: directory, limits: limits)
  }

  /// The directory of the cache.
  public var directory: String { context.folder.path }

  /// True if the cache only reads its directory; see `init(seed:)`.
  public var isReadOnly: Bool { context.folder.isReadOnly }

  /// The limits of the cache. A change takes effect at the next store, or at once with `trim()`.
  public var limits: Limits {
    get { context.limits }
    set { context.state.withLock { $0.limits = newValue } }
  }

  /// The limit in bytes of all pixels on disk, as in `limits`; 0 if the cache is only read.
  public var byteLimit: Int { isReadOnly ? 0 : context.limits.bytes }

  /// The number of bytes that the disk reads in a second, as in `limits`; otherwise for the kind of disk that holds the
  /// directory: 40 million for an SD card, 150 million for an eMMC, and 400 million for others and before the first
  /// access to the directory.
  public var readSpeed: Double { context.state.withLock { $0.limits.readSpeed ?? $0.medium.readSpeed } }

  /// The counters of the cache. Does not access the disk.
  public var statistics: Statistics { context.state.withLock { $0.statistics } }

  /// The fault that last prevented reading or writing; nil if there was none, or pixels have been stored since. Faults
  /// that pass on their own, such as a lack of descriptors, are left out.
  public var fault: DiskImageCache.Fault? { context.state.withLock { $0.pause.fault } }

  /// Removes what exceeds the limits, the least recently used packs first. A store does the same when necessary.
  /// O(packs).
  public func trim() {
    guard !isReadOnly else { return }
    context.writing.withLock { pack in
      pack = nil
      _ = context.reading { () throws(DiskImageCache.Fault) -> Void? in
        guard let files = try context.files(creating: false) else { return nil }
        let (room, time) = (PixelRoom(context: context), context.time)
        guard try room.scan(files) else { return nil }
        room.evict(
          context.state.withLock { PackTrim(time: time).victims($0.usage, limit: $0.limits.bytes) }, in: files
        )
        return ()
      }
    }
  }

  /// Returns the number of stored images and their size on disk, with the index. Reads the index: O(entries).
  public func usage() -> ImageCache.DiskUsage { inventory.usage() }

  // MARK: ImagePixelCache

  /// Returns pixels that were made from a body, undamaged; nil if there are none.
  public func pixels(
    for key: PixelKey, of body: BodyDigest, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredPixels? {
    let pixels = lookup.pixels(for: key, of: body, reserving: reserve)
    context.state.withLock { $0.lookedUp(isHit: pixels != nil) }
    return pixels
  }

  /// Returns the largest pixels of the same image in a smaller size, undamaged; nil if there are none. Does not change
  /// the counters of hits and misses.
  public func smallerPixels(
    for key: PixelKey, of body: BodyDigest, maximumCount: Int, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredPixels? {
    guard key.family != nil else { return nil }
    return lookup.pixels(for: key, of: body, maximumCount: maximumCount, reserving: reserve)
  }

  /// Stores the first frame of an image. Returns true if the pixels are stored. Previews and images with an
  /// application's own data are not stored.
  @discardableResult
  public func store(_ image: Image, isAnimated: Bool, for key: PixelKey, of body: BodyDigest) -> Bool {
    guard !isReadOnly else { return false }
    let outcome = records.store(image, isAnimated: isAnimated, for: key, of: body)
    if outcome == .refused { context.state.withLock { $0.refused() } }
    return outcome == .stored
  }

  /// Removes the pixels of all variants of a request. Their bytes are overwritten on the disk.
  public func removePixels(of identity: RequestIdentity) {
    guard !isReadOnly else { return }
    PixelRemoval(context: context).remove(identity)
  }

  /// Removes all pixels, including those of other processes. If the folder cannot be read at the moment, the pixels are
  /// removed before the next access, and until then nothing is found, for at most a minute.
  public func removeAllPixels() { context.removeAll() }
}
