import Synchronization
import VitrineGraphics

/// A lookup in an `ImageCache` that is under way, to cancel it (`SDImageCacheToken`).
///
/// The lookup goes on when this is let go.
@MainActor
public final class ImageCacheQuery {
  /// Receives the image and the tier that had it; `nil` if there was none, or the query was cancelled.
  public typealias Completion = @MainActor (ImageResponse?) -> Void

  private var completion: Completion?
  private var task: ImageTask?

  init(_ completion: @escaping Completion) { self.completion = completion }

  /// Whether the completion has been called.
  public var isFinished: Bool { completion == nil }

  /// Ends the query: calls the completion with `nil` before this call returns, unless it has been called.
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
  /// Looks for an image in memory, then on disk, and decodes what it finds there. Never asks a server.
  ///
  /// Queries and loads of one image share the decoding. An image on disk is found however old it is.
  ///
  /// - Parameters:
  ///   - source: the request, URL or text that names the image; with a `targetSize`, the image is decoded to that.
  ///   - additionalIdentifier: as in a load. An image that was not stored under it is made of the bytes of the request.
  ///   - tiers: where to look; memory and disk unless said otherwise.
  ///   - storesInMemory: whether an image from disk is put into memory.
  ///   - completion: called once, after this call has returned.
  @MainActor @discardableResult
  public func query(
    _ source: some ImageRequestConvertible, additionalIdentifier: String? = nil, in tiers: Tiers = .all,
    storesInMemory: Bool = true, completion: @escaping ImageCacheQuery.Completion
  ) -> ImageCacheQuery {
    let query = ImageCacheQuery(completion)
    guard var request = try? downloader.completedForNobodyToSee(source.asImageRequest()) else {
      Mailbox.main.post { query.finish(nil) }
      return query
    }
    let memory = request.cache(insteadOf: downloader.cache)
    let known =
      tiers.includesMemory ? memory?.image(for: request, additionalIdentifier: additionalIdentifier) : nil
    let inMemory = known.map { ImageResponse(image: $0, source: .memory) }
    // A smaller size than asked for is the answer only if the disk has no other.
    let isWhole = known.map { request.targetSize != nil || request.isWhole($0) } ?? false
    guard tiers.includesDisk, !isWhole else {
      Mailbox.main.post { query.finish(inMemory) }
      return query
    }
    let place = (request, additionalIdentifier)
    request.cache = .diskOnly
    request.cachePolicy = .cacheOnly
    readFromDisk(request, additionalIdentifier, for: query) { response in
      var response = response
      if let found = response {
        let image = found.image.withUserData(found.userData)
        response = found.replacingImage(with: image)
        if storesInMemory { memory?.insert(image, for: place.0, additionalIdentifier: place.1) }
      }
      query.finish(response ?? inMemory)
    }
    return query
  }

  /// Looks for an image in memory, then on disk, and returns it and the tier that had it; `nil` if there is none, or the Swift
  /// task is cancelled. See `query(_:additionalIdentifier:in:storesInMemory:completion:)`.
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

  /// First what was stored under the identifier or for the transforms, then what they make of the request's bytes.
  @MainActor
  private func readFromDisk(
    _ request: ImageRequest, _ additionalIdentifier: String?, for query: ImageCacheQuery,
    _ completion: @escaping ImageCacheQuery.Completion
  ) {
    var stored = request
    guard let identity = request.storedIdentity(additionalIdentifier) else {
      return Mailbox.main.post { completion(nil) }
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
    // After what is being written.
    engine.access { _ in
    } completion: { _ in
      downloader.begin(task)
    }
  }
}

/// The query of an asynchronous call, for its cancellation.
@MainActor private final class RunningQuery {
  var query: ImageCacheQuery?
}
