import VitrineConcurrency
public import VitrineGraphics

/// The images that a downloader keeps in memory and on disk, for an application that stores, looks up and removes
/// images itself (SDWebImage's `SDImageCache`, YYWebImage's `YYImageCache`).
///
/// ```swift
/// let cache = ImageDownloader.shared.imageCache
/// await cache.store(badge, for: "https://example.com/badge")
/// imageView.setImage(from: "https://example.com/badge")  // shown at once, without a download
/// ```
///
/// The memory cache holds images by request and additional identifier; the disk cache holds encoded bytes. An image
/// that is stored without an identifier and without transforms replaces the response to its request: each load of the
/// URL shows that image and sends no request for a year. An image that is stored with an identifier, or for a request
/// with transforms, has a separate entry on disk. Loads find such an image only in memory; queries find it on disk as
/// well.
///
/// Disk operations run in the order of the calls, never on the caller's thread. Completions are called once, on the
/// main actor, after the call has returned. May be used from any thread. Keeps a strong reference to the downloader.
public struct ImageCache: Sendable {
  /// The caches that an operation applies to.
  public enum Tiers: Hashable, Sendable, CaseIterable {
    /// Decoded images in memory.
    case memory
    /// Encoded bytes on disk.
    case disk
    /// Memory and disk.
    case all

    var includesMemory: Bool { self != .disk }
    var includesDisk: Bool { self != .memory }
  }

  /// The number of entries on disk and their size in bytes.
  public struct DiskUsage: Hashable, Sendable {
    /// The number of stored images.
    public var count: Int
    /// The number of bytes that the stored images take.
    public var bytes: Int

    /// Creates a usage, as an `ImageDataCache` of an application reports it; both numbers are 0 by default.
    public init(count: Int = 0, bytes: Int = 0) {
      self.count = count
      self.bytes = bytes
    }
  }

  let downloader: ImageDownloader
  var engine: LoadEngine { downloader.engine }

  // MARK: Storing

  /// Stores an image: in memory before this call returns, on disk later. The completion receives true if all tiers have
  /// stored the image.
  ///
  /// - Parameters:
  ///   - image: The image, which replaces an image stored under the same identity. The image's `userData` is stored as
  ///     well. A preview is not stored.
  ///   - source: The request, URL or text that names the image.
  ///   - additionalIdentifier: The additional identifier, as in a load; nil is an identifier of its own.
  ///   - data: The encoded image, written unchanged; `nil` encodes the image with the downloader's decoder if that is
  ///     an `ImageEncoding`. `ImageCodecs` writes the format that the image was decoded from, otherwise PNG for an
  ///     image with transparent pixels, JPEG for other images, and GIF for several frames.
  ///   - tiers: The caches to store the image in; memory and disk by default.
  ///   - completion: Receives false if the disk cannot be written or there is no disk cache.
  public func store(
    _ image: Image, for source: some ImageRequestConvertible, additionalIdentifier: String? = nil,
    data: [UInt8]? = nil, in tiers: Tiers = .all, completion: (@MainActor (Bool) -> Void)?
  ) {
    guard let request = try? downloader.completed(source.asImageRequest()), !image.isPreview else {
      return Self.report(false, to: completion)
    }
    if tiers.includesMemory { keepInMemory(image, request, additionalIdentifier) }
    guard tiers.includesDisk else { return Self.report(true, to: completion) }
    let encoder = engine.decoder as? any ImageEncoding
    write(
      bytes: data?.count ?? image.cost, request, additionalIdentifier, userData: image.userData,
      body: { data ?? (try? encoder?.encode(image, as: nil)) }, completion: completion)
  }

  /// Stores an image and returns true if all tiers have stored the image; see
  /// `store(_:for:additionalIdentifier:data:in:completion:)`.
  @discardableResult
  public func store(
    _ image: Image, for source: some ImageRequestConvertible, additionalIdentifier: String? = nil,
    data: [UInt8]? = nil, in tiers: Tiers = .all
  ) async -> Bool {
    await withCheckedContinuation { continuation in
      store(image, for: source, additionalIdentifier: additionalIdentifier, data: data, in: tiers) {
        continuation.resume(returning: $0)
      }
    }
  }

  /// Stores encoded bytes on disk without decoding, and leaves memory unchanged (SDWebImage's
  /// `storeImageDataToDisk:forKey:`). Returns true if the bytes were written.
  @discardableResult
  public func storeData(
    _ data: [UInt8], for source: some ImageRequestConvertible, additionalIdentifier: String? = nil,
    userData: [String: [UInt8]] = [:]
  ) async -> Bool {
    guard let request = try? downloader.completed(source.asImageRequest()) else { return false }
    return await withCheckedContinuation { continuation in
      write(bytes: data.count, request, additionalIdentifier, userData: userData, body: { data }) {
        continuation.resume(returning: $0)
      }
    }
  }

  private func write(
    bytes: Int, _ request: ImageRequest, _ additionalIdentifier: String?, userData: [String: [UInt8]],
    body: @escaping @Sendable () -> [UInt8]?, completion: (@MainActor (Bool) -> Void)?
  ) {
    guard let identity = request.storedIdentity(additionalIdentifier), request.cache.usesDisk else {
      return Self.report(false, to: completion)
    }
    let now = engine.configuration.environment.wallClock()
    let diskIdentity = engine.transports.onDisk(identity)
    engine.diskWriter.access(.store(diskIdentity, bytes: bytes)) { cache in
      guard let body = body(), !body.isEmpty else { return false }
      let response = StoredResponse(ownImage: body, for: request.url, userData: userData, at: now)
      return cache.store(response, for: diskIdentity)
    } completion: {
      Self.report($0 ?? false, to: completion)
    }
  }

  func keepInMemory(_ image: Image, _ request: ImageRequest, _ additionalIdentifier: String?) {
    guard let cache = request.cache(default: downloader.cache) else { return }
    // Other sizes in memory belong to the previous image.
    if request.targetSize == nil {
      cache.removeImage(for: request, additionalIdentifier: additionalIdentifier)
    }
    // The lifetime of the response that the image was made from does not apply to what the application stores.
    cache.insert(image.withoutExpiry, for: request, additionalIdentifier: additionalIdentifier)
  }

  static func report<Value: Sendable>(_ value: Value, to completion: (@MainActor (Value) -> Void)?) {
    if let completion { MainActorQueue.main.post { completion(value) } }
  }

  // MARK: Lookup

  /// Returns the image in memory, or `nil`. Returns the largest of several sizes, unless the request has a
  /// `targetSize`. Returns `nil` for a request with the cache policy `.reload`.
  public func imageInMemory(
    for source: some ImageRequestConvertible, additionalIdentifier: String? = nil
  ) -> Image? {
    downloader.cachedImage(for: source, additionalIdentifier: additionalIdentifier)
  }

  /// Returns the tier that has the image: `.memory`, otherwise `.disk`; `nil` if none of the given tiers has the image
  /// (SDWebImage's `containsImageForKey:cacheType:`).
  public func location(
    of source: some ImageRequestConvertible, additionalIdentifier: String? = nil, in tiers: Tiers = .all
  ) async -> ImageResponse.Source? {
    guard let request = try? downloader.completed(source.asImageRequest()) else { return nil }
    let memory = request.cache(default: downloader.cache)
    if tiers.includesMemory,
      memory?.image(for: request, additionalIdentifier: additionalIdentifier) != nil
    {
      return .memory
    }
    guard tiers.includesDisk, let identity = request.storedIdentity(additionalIdentifier) else { return nil }
    return await engine.diskWriter.contains(identity) ? .disk : nil
  }

  /// Returns the number of images on disk and their size in bytes, after all earlier disk operations; `nil` if there is
  /// no disk cache or the disk cache does not count (SDWebImage's `totalDiskCount` and `totalDiskSize`).
  public func diskUsage() async -> DiskUsage? {
    await engine.diskWriter.access(.scan) { $0.usage() } ?? nil
  }

  // MARK: Removing

  /// Removes an image in all sizes. The completion receives true if an image was removed.
  public func remove(
    _ source: some ImageRequestConvertible, additionalIdentifier: String? = nil, from tiers: Tiers = .all,
    completion: (@MainActor (Bool) -> Void)?
  ) {
    guard let request = try? downloader.completed(source.asImageRequest()) else {
      return Self.report(false, to: completion)
    }
    let wasInMemory =
      tiers.includesMemory
      && request.cache(default: downloader.cache)?
        .removeImage(for: request, additionalIdentifier: additionalIdentifier) == true
    guard tiers.includesDisk, let identity = request.storedIdentity(additionalIdentifier) else {
      return Self.report(wasInMemory, to: completion)
    }
    engine.diskWriter.remove(identity) { wasOnDisk in
      Self.report(wasInMemory || wasOnDisk, to: completion)
    }
  }

  /// Removes an image in all sizes. Returns true if an image was removed.
  @discardableResult
  public func remove(
    _ source: some ImageRequestConvertible, additionalIdentifier: String? = nil, from tiers: Tiers = .all
  ) async -> Bool {
    await withCheckedContinuation { continuation in
      remove(source, additionalIdentifier: additionalIdentifier, from: tiers) {
        continuation.resume(returning: $0)
      }
    }
  }

  /// Removes all images: those in memory before this call returns, those on disk later. Loads and queries that begin
  /// afterwards do not find them.
  ///
  /// - Parameters:
  ///   - tiers: The caches to empty; memory and disk by default.
  ///   - progress: Receives the number of files removed so far and the total, on the main actor. The last call reports
  ///     fewer files than the total if some cannot be removed. Not called for a disk cache that does not count.
  ///   - completion: Receives true if none of the images that existed at the start is left.
  public func removeAll(
    from tiers: Tiers = .all, progress: (@MainActor (_ removed: Int, _ total: Int) -> Void)? = nil,
    completion: (@MainActor (Bool) -> Void)?
  ) {
    if tiers.includesMemory { downloader.removeAllCachedImages() }
    guard tiers.includesDisk else { return Self.report(true, to: completion) }
    engine.diskWriter.removeAll { removed, total in
      if let progress { MainActorQueue.main.post { progress(removed, total) } }
    } completion: {
      Self.report($0, to: completion)
    }
  }

  /// Removes all images. Returns true if none of the images that existed at the start is left.
  @discardableResult
  public func removeAll(from tiers: Tiers = .all) async -> Bool {
    await withCheckedContinuation { continuation in
      removeAll(from: tiers) { continuation.resume(returning: $0) }
    }
  }

  /// Removes responses from disk that exceed the limits of age, size and count (SDWebImage's
  /// `deleteOldFilesWithCompletionBlock:`). Returns when the removal is done.
  public func removeExpired() async {
    _ = await engine.diskWriter.access(.scan) { $0.removeExpiredResponses() }
  }
}

extension ImageCache: Equatable {
  /// Returns true if both caches belong to one downloader.
  public static func == (a: ImageCache, b: ImageCache) -> Bool { a.downloader === b.downloader }
}

extension ImageDownloader {
  /// The memory and disk caches of this downloader.
  public var imageCache: ImageCache { ImageCache(downloader: self) }
}
