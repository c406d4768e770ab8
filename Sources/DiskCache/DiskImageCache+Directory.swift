import Glibc
import Synchronization

// The default directory, and one cache per directory.

extension DiskImageCache {
  /// The cache in `defaultDirectory` with the default limits; nil if there is no default directory.
  public static let shared: DiskImageCache? = defaultDirectory.map { DiskImageCache(directory: $0) }

  /// The directory of caches that are created without a directory: `$XDG_CACHE_HOME/vitrine`, otherwise
  /// `$HOME/.cache/vitrine`; nil if neither variable is an absolute path, as in a service without a home.
  ///
  /// Set another directory before the first use of `shared` or `Application`; the new directory applies to caches
  /// created later. Setting nil restores the default above (SDWebImage's `defaultDiskCacheDirectory`).
  public static var defaultDirectory: String? {
    get {
      chosenDirectory.withLock { $0 }
        ?? CacheDirectory.standard { name in getenv(name).map { String(cString: $0) } }
    }
    set { chosenDirectory.withLock { $0 = newValue } }
  }

  private static let chosenDirectory = Mutex<String?>(nil)

  /// Creates a cache in `defaultDirectory`; nil if there is no default directory.
  public convenience init?(limits: Limits = Limits()) {
    guard let directory = Self.defaultDirectory else { return nil }
    self.init(directory: directory, limits: limits)
  }

  private struct Instance { weak var cache: DiskImageCache? }

  private static let instances = Mutex<[String: Instance]>([:])

  /// Returns the cache of a directory: the existing instance if there is one, otherwise a new instance (YYCache's
  /// `initWithPath:`).
  ///
  /// `limits` are the limits of a new instance. An existing instance keeps its limits.
  public static func instance(directory: String, limits: Limits = Limits()) -> DiskImageCache {
    let new = DiskImageCache(directory: directory, limits: limits)
    let key = CacheDirectory.resolved(new.directory)
    return instances.withLock { instances in
      if let known = instances[key]?.cache { return known }
      instances = instances.filter { $0.value.cache != nil }
      instances[key] = Instance(cache: new)
      return new
    }
  }
}
