import Vitrine

/// The caches that a tool works on.
nonisolated enum ToolCache {
  /// Returns the cache of a command that changes nothing, not even the modes of folders. The directory may be a seed
  /// that belongs to root.
  static func reading(_ options: ToolOptions) throws(Tools.Failure) -> DiskImageCache {
    let directory = try directory(options)
    let cache = DiskImageCache(inspecting: directory)
    if let fault = cache.checkAccess() { throw Tools.Failure(message: "\(fault)") }
    // A mistyped folder is not an empty cache. The user's own cache folder may not exist yet.
    if options.cache != nil, cache.isMissing {
      throw Tools.Failure(message: "there is no cache in \(directory)")
    }
    return cache
  }

  /// Returns the pixels of a command that changes nothing, as `reading` returns the responses.
  static func readingPixels(_ options: ToolOptions) throws(Tools.Failure) -> DiskPixelCache {
    let pixels = DiskPixelCache(inspecting: try directory(options))
    if let fault = pixels.checkAccess() { throw Tools.Failure(message: "\(fault)") }
    return pixels
  }

  /// Returns the cache of a command that changes files. A seed stays readable, and has no limit.
  static func writing(_ options: ToolOptions) throws(Tools.Failure) -> DiskImageCache {
    let cache = DiskImageCache(keepingReadersOf: try directory(options))
    if let fault = cache.checkAccess() { throw Tools.Failure(message: "\(fault)") }
    if cache.isOpenToAllReaders { cache.limits = .seed }
    return cache
  }

  /// Returns the pixels of a command that changes files. A seed stays readable, and has no limit.
  static func writingPixels(_ options: ToolOptions) throws(Tools.Failure) -> DiskPixelCache {
    let cache = try writing(options)
    let limits = cache.limits == .seed ? .writableSeed : DiskPixelCache.Limits()
    let pixels = DiskPixelCache(keepingReadersOf: cache.directory, limits: limits)
    if let fault = pixels.checkAccess() { throw Tools.Failure(message: "\(fault)") }
    return pixels
  }

  private static func directory(_ options: ToolOptions) throws(Tools.Failure) -> String {
    guard let directory = options.cache ?? DiskImageCache.defaultDirectory else {
      throw Tools.Failure(message: "there is no cache folder, because HOME is not set; use --cache DIR")
    }
    return directory
  }
}
