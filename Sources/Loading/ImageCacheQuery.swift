import VitrineConcurrency
import VitrineGraphics

/// A running lookup in an `ImageCache`, which can be cancelled (`SDImageCacheToken`).
///
/// The lookup continues if this object is released.
@MainActor
public final class ImageCacheQuery {
  /// A function that receives the image and the tier that had the image; `nil` if there was no image or the query was
  /// cancelled.
  public typealias Completion = @MainActor (ImageResponse?) -> Void

  private var completion: Completion?
  private var task: ImageTask?

  init(_ completion: @escaping Completion) { self.completion = completion }

  /// True if the completion has been called.
  public var isFinished: Bool { completion == nil }

  /// Cancels the query. Calls the completion with `nil` before this call returns, unless the completion has been called
  /// already.
  public func cancel() {
    task?.cancel()
    finish(nil)
  }

  func finish(_ response: ImageResponse?) {
    let completion = completion
    self.completion = nil
    task = nil
    completion?(response)
  }

  func follow(_ task: ImageTask) { self.task = task }
}

extension ImageCache {
  /// Looks for an image in memory, then on disk, and decodes an image found on disk. Never sends a request.
  ///
  /// Queries and loads of one image share the decode. An image on disk is found regardless of its age.
  ///
  /// - Parameters:
  ///   - source: The request, URL or text that names the image. An image is decoded to the request's `targetSize` if it
  ///     has one.
  ///   - additionalIdentifier: The additional identifier, as in a load. If no image was stored under it, the image is
  ///     made from the bytes of the request.
  ///   - tiers: The caches to look in; memory and disk by default.
  ///   - storesInMemory: True to store an image from disk in memory.
  ///   - completion: Called once, after this call has returned.
  @MainActor @discardableResult
  public func query(
    _ source: some ImageRequestConvertible, additionalIdentifier: String? = nil, in tiers: Tiers = .all,
    storesInMemory: Bool = true, completion: @escaping ImageCacheQuery.Completion
  ) -> ImageCacheQuery {
    let query = ImageCacheQuery(completion)
    guard var request = try? downloader.completedWithoutSlot(source.asImageRequest()) else {
      MainActorQueue.main.post { query.finish(nil) }
      return query
    }
    let memory = request.cache(default: downloader.cache)
    let cachedImage =
      tiers.includesMemory
      ? memory?.image(for: request, additionalIdentifier: additionalIdentifier).map(request.delivered) : nil
    let memoryResponse = cachedImage.map {
      ImageResponse(image: $0, source: .memory, freshness: downloader.freshness(of: $0, for: request))
    }
    // An image smaller than requested is returned only if the disk has no other.
    let isSufficient = cachedImage.map { request.targetSize != nil || request.hasAllPixels($0) } ?? false
    guard tiers.includesDisk, !isSufficient else {
      MainActorQueue.main.post { query.finish(memoryResponse) }
      return query
    }
    let entry = (request, additionalIdentifier)
    request.cache = .diskOnly
    request.cachePolicy = .cacheOnly
    readFromDisk(request, additionalIdentifier, for: query) { response in
      var response = response
      if let found = response {
        let image = found.image.withUserData(found.userData)
        response = found.replacingImage(with: image)
        if storesInMemory, let memory {
          downloader.engine.imageStorer.limitTime(of: image, in: found, for: entry.0)
          memory.insert(image, for: entry.0, additionalIdentifier: entry.1)
        }
      }
      query.finish(response ?? memoryResponse)
    }
    return query
  }

  /// Looks for an image in memory, then on disk. Returns the image and the tier that had it; `nil` if there is none or
  /// the Swift task is cancelled. See `query(_:additionalIdentifier:in:storesInMemory:completion:)`.
  @MainActor
  public func query(
    _ source: some ImageRequestConvertible, additionalIdentifier: String? = nil, in tiers: Tiers = .all,
    storesInMemory: Bool = true
  ) async -> ImageResponse? {
    let running = RunningQuery()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        running.query = query(
          source, additionalIdentifier: additionalIdentifier, in: tiers, storesInMemory: storesInMemory
        ) { continuation.resume(returning: $0) }
        if Task.isCancelled { running.query?.cancel() }
      }
    } onCancel: {
      Task { @MainActor in running.query?.cancel() }
    }
  }

  /// Reads the image stored under the additional identifier or the transforms. If there is none, makes the image from
  /// the stored response of the request.
  @MainActor
  private func readFromDisk(
    _ request: ImageRequest, _ additionalIdentifier: String?, for query: ImageCacheQuery,
    _ completion: @escaping ImageCacheQuery.Completion
  ) {
    var stored = request
    guard let identity = request.storedIdentity(additionalIdentifier) else {
      return MainActorQueue.main.post { completion(nil) }
    }
    if identity != request.identity.withoutVarying {
      stored.identity = identity
      stored.transforms = []
      return load(stored, additionalIdentifier, for: query) { response in
        if query.isFinished || response != nil { return completion(response) }
        load(request, additionalIdentifier, for: query, completion)
      }
    }
    load(request, additionalIdentifier, for: query, completion)
  }

  @MainActor
  private func load(
    _ request: ImageRequest, _ additionalIdentifier: String?, for query: ImageCacheQuery,
    _ completion: @escaping ImageCacheQuery.Completion
  ) {
    let task = ImageTask(
      request, additionalIdentifier: additionalIdentifier, completion: { completion(try? $0.get()) })
    query.follow(task)
    // The load begins after the pending writes, so that it finds an image whose store was requested before.
    engine.diskWriter.access(.look(engine.transports.onDisk(request.identity.withoutVarying))) { _ in
    } completion: { _ in
      downloader.begin(task)
    }
  }
}

/// The query of an asynchronous call, kept so that the call can be cancelled.
@MainActor private final class RunningQuery { var query: ImageCacheQuery? }
