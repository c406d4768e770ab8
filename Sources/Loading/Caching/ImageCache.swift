public import VitrineGraphics

/// The images that a downloader keeps in memory and on disk, for a program that stores, looks up and removes images itself
/// (SDWebImage's `SDImageCache`, YYWebImage's `YYImageCache`).
///
/// ```swift
/// let cache = ImageDownloader.shared.imageCache
/// await cache.store(badge, for: "https://example.com/badge")
/// button.setImage(from: "https://example.com/badge")  // shown at once, without a download
/// ```
///
/// Memory holds images by request and additional identifier, the disk holds encoded bytes. An image that is stored without
/// an identifier and without transforms takes the place of the response to its request: each load of the URL shows it, and
/// asks no server for a year. An image that is stored under an identifier, or for a request with transforms, is an image of
/// its own on disk too; loads find it while it is in memory, and queries find it on disk as well.
///
/// The disk is used in the order of the calls, never on the caller's thread. Completions are called once, on the main actor,
/// after the call has returned. May be used from any thread; holds its downloader.
public struct ImageCache: Sendable {
  /// The places that an operation is about.
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

  /// The number of entries on disk and the room that they take.
  public struct DiskUsage: Hashable, Sendable {
    /// The number of stored images.
    public var count: Int
    /// The bytes that they take.
    public var bytes: Int

    /// A usage; an empty disk unless said otherwise.
    public init(count: Int = 0, bytes: Int = 0) {
      self.count = count
      self.bytes = bytes
    }
  }

  let downloader: ImageDownloader
  var engine: LoadEngine { downloader.engine }

  // MARK: Storing

  /// Stores an image: in memory before this call returns, on disk later. The completion receives whether all tiers have it.
  ///
  /// - Parameters:
  ///   - image: replaces what was stored of this identity. Its `userData` is stored with it. A preview is not stored.
  ///   - source: the request, URL or text that names the image.
  ///   - additionalIdentifier: as in a load; nil is an identifier of its own.
  ///   - data: the encoded image, to be written as it is; `nil` encodes the image by the downloader's decoder, if that is an
  ///     `ImageEncoding`: `ImageCodecs` writes the format that the image was decoded from, else PNG for an image with
  ///     transparent pixels, JPEG for others, and GIF for several frames.
  ///   - tiers: memory and disk unless said otherwise.
  ///   - completion: receives false where the disk cannot be written, or there is none.
  public func store(
    _ image: Image, for source: some ImageRequestConvertible, additionalIdentifier: String? = nil,
    data: [UInt8]? = nil, in tiers: Tiers = .all, completion: (@MainActor (Bool) -> Void)?
  ) {
    guard let request = try? downloader.completed(source.asImageRequest()), !image.isPartial else {
      return Self.report(false, to: completion)
    }
    if tiers.includesMemory { keepInMemory(image, request, additionalIdentifier) }
    guard tiers.includesDisk else { return Self.report(true, to: completion) }
    let encoder = engine.decoder as? any ImageEncoding
    write(
      bytes: data?.count ?? image.cost, request, additionalIdentifier, userData: image.userData,
      body: { data ?? (try? encoder?.encode(image, as: nil)) }, completion: completion)
  }

  /// Stores an image and returns whether all tiers have it; see `store(_:for:additionalIdentifier:data:in:completion:)`.
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

  /// Stores encoded bytes on disk as they are, and leaves memory alone (`storeImageDataToDisk:forKey:`). Returns whether they
  /// were written. The bytes are not decoded.
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
    let now = engine.configuration.wallClock()
    let place = engine.onDisk(identity)
    engine.access(.store(bytes: bytes)) { cache in
      guard let body = body(), !body.isEmpty else { return false }
      let answer = StoredAnswer(ownImage: body, for: request.url, userData: userData, at: now)
      return cache.store(answer, for: place)
    } completion: {
      Self.report($0 ?? false, to: completion)
    }
  }

  func keepInMemory(_ image: Image, _ request: ImageRequest, _ additionalIdentifier: String?) {
    guard let cache = request.cache(insteadOf: downloader.cache) else { return }
    // Other sizes are of the image before.
    if request.targetSize == nil {
      cache.removeImage(for: request, additionalIdentifier: additionalIdentifier)
    }
    cache.insert(image, for: request, additionalIdentifier: additionalIdentifier)
  }

  static func report<Value: Sendable>(_ value: Value, to completion: (@MainActor (Value) -> Void)?) {
    if let completion { Mailbox.main.post { completion(value) } }
  }

  // MARK: Asking

  /// Returns the image if it is in memory, at once; of several sizes the largest, unless the request has a `targetSize`.
  public func imageInMemory(
    for source: some ImageRequestConvertible, additionalIdentifier: String? = nil
  ) -> Image? {
    guard let request = try? source.asImageRequest() else { return nil }
    return downloader.cachedImage(for: request, additionalIdentifier: additionalIdentifier)
  }

  /// Returns the tier that has the image: `.memory`, else `.disk`; `nil` if none of those asked has it
  /// (`containsImageForKey:cacheType:`).
  public func location(
    of source: some ImageRequestConvertible, additionalIdentifier: String? = nil, in tiers: Tiers = .all
  ) async -> ImageResponse.Source? {
    guard let request = try? downloader.completed(source.asImageRequest()) else { return nil }
    let memory = request.cache(insteadOf: downloader.cache)
    if tiers.includesMemory,
      memory?.image(for: request, additionalIdentifier: additionalIdentifier) != nil
    {
      return .memory
    }
    guard tiers.includesDisk, let identity = request.storedIdentity(additionalIdentifier) else { return nil }
    let isOnDisk = await withCheckedContinuation { continuation in
      engine.containsOnDisk(identity) { continuation.resume(returning: $0) }
    }
    return isOnDisk ? .disk : nil
  }

  /// Returns the number of images on disk and the bytes that they take, after all that was asked of the disk before; `nil`
  /// where there is no disk cache, or one that does not count (`totalDiskCount`, `totalDiskSize`).
  public func diskUsage() async -> DiskUsage? {
    await withCheckedContinuation { continuation in
      engine.access {
        $0.usage()
      } completion: {
        continuation.resume(returning: $0 ?? nil)
      }
    }
  }

  // MARK: Removing

  /// Removes an image in all its sizes. The completion receives whether there was one.
  public func remove(
    _ source: some ImageRequestConvertible, additionalIdentifier: String? = nil, from tiers: Tiers = .all,
    completion: (@MainActor (Bool) -> Void)?
  ) {
    guard let request = try? downloader.completed(source.asImageRequest()) else {
      return Self.report(false, to: completion)
    }
    let wasInMemory =
      tiers.includesMemory
      && request.cache(insteadOf: downloader.cache)?
        .removeImage(for: request, additionalIdentifier: additionalIdentifier) == true
    guard tiers.includesDisk, let identity = request.storedIdentity(additionalIdentifier) else {
      return Self.report(wasInMemory, to: completion)
    }
    engine.removeFromDisk(identity) { wasOnDisk in
      Self.report(wasInMemory || wasOnDisk, to: completion)
    }
  }

  /// Removes an image in all its sizes, and returns whether there was one.
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
  /// afterwards find nothing there.
  ///
  /// - Parameters:
  ///   - tiers: memory and disk unless said otherwise.
  ///   - progress: receives how many files of how many have been removed, on the main actor, ending with all of them; not
  ///     called for a disk cache that does not count.
  ///   - completion: receives whether nothing is left of what was there when it began.
  public func removeAll(
    from tiers: Tiers = .all, progress: (@MainActor (_ removed: Int, _ total: Int) -> Void)? = nil,
    completion: (@MainActor (Bool) -> Void)?
  ) {
    if tiers.includesMemory { downloader.removeAllCachedImages() }
    guard tiers.includesDisk else { return Self.report(true, to: completion) }
    engine.removeAllFromDisk { removed, total in
      if let progress { Mailbox.main.post { progress(removed, total) } }
    } completion: {
      Self.report($0, to: completion)
    }
  }

  /// Removes all images, and returns whether nothing is left of what was there.
  @discardableResult
  public func removeAll(from tiers: Tiers = .all) async -> Bool {
    await withCheckedContinuation { continuation in
      removeAll(from: tiers) { continuation.resume(returning: $0) }
    }
  }

  /// Removes from disk what its limits of age, size and count do not allow (`deleteOldFilesWithCompletionBlock:`); returns
  /// when that is done.
  public func removeExpired() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      engine.access {
        $0.removeExpiredAnswers()
      } completion: { _ in
        continuation.resume()
      }
    }
  }
}

extension ImageCache: Equatable {
  /// The caches of one downloader are equal.
  public static func == (a: ImageCache, b: ImageCache) -> Bool { a.downloader === b.downloader }
}

extension ImageDownloader {
  /// The images that this downloader keeps in memory and on disk.
  public var imageCache: ImageCache { ImageCache(downloader: self) }
}
