import FoundationEssentials
import VitrineConcurrency
package import VitrineGraphics

/// An image from which regions are decoded, for a view that shows a part of a large image.
///
/// The encoded image is not kept in memory if it is a file or in the disk cache; else its bytes are loaded and kept until
/// this object is closed or released. All completions are called on the main actor, after the call that caused them.
/// Releasing the object closes it; regions that were requested are still decoded unless their loads are cancelled.
@MainActor
package final class ImageRegions {
  package typealias OpenCompletion = @MainActor (Result<RegionLayout, RegionError>) -> Void
  package typealias RegionCompletion = @MainActor (Result<Image, ImageError>) -> Void

  private enum Phase {
    case closed
    case loading(ImageTask)
    case opening(RegionJob)
    case open(RegionSession)
  }

  private let downloader: ImageDownloader
  private let maker: RegionMaker
  private let request: ImageRequest
  private var phase = Phase.closed
  /// The identity of the shown image.
  private var content: ContentID?
  /// The reservation of the encoded bytes and of the decoder.
  private var reservation: MemoryReservation?
  /// Incremented by each call of `open` and `close`, so that a late end is recognized.
  private var generation = 0
  private let pressure = RegionPressure()

  /// Called when memory is short. The argument is true if all memory should be released that is not needed at this
  /// moment, and false if that of regions that are not visible is enough.
  package var onPressure: ((_ isCritical: Bool) -> Void)?

  /// Returns `nil` for a request whose images are decoded only as a whole: with transforms, without decoding, or for a
  /// decoder without regions.
  package init?(of request: ImageRequest, from downloader: ImageDownloader) {
    guard let maker = downloader.engine.regionMaker, request.decodes, request.transforms.isEmpty else {
      return nil
    }
    self.downloader = downloader
    self.maker = maker
    var data = downloader.completedWithoutSlot(request)
    data.decodes = false
    data.targetSize = nil
    if data.cachePolicy != .cacheOnly { data.cachePolicy = .useCache }
    self.request = data
    pressure.handler = { [weak self] isCritical in self?.onPressure?(isCritical) }
    pressure.count(against: maker.ledger)
  }

  isolated deinit { close() }

  /// True if the image is open or being opened.
  package var isActive: Bool { if case .closed = phase { false } else { true } }

  /// The layout of an open image; `nil` before.
  package var layout: RegionLayout? { if case .open(let session) = phase { session.layout } else { nil } }

  /// Loads the encoded image and reads it once. `completion` is called once, unless `close()` is called before. Does
  /// nothing while the image is open or being opened.
  ///
  /// - Parameter content: The identity of the shown image, of which regions are wanted. Fails with `.replaced` if the
  ///   encoded image is another one by now. `nil` accepts any.
  package func open(of content: ContentID?, completion: @escaping OpenCompletion) {
    guard !isActive else { return }
    generation += 1
    self.content = content
    if downloader.engine.readsFile(of: request.url) {
      let path = request.url.path(percentEncoded: false)
      return read({ FileBytes(path: path).map { RegionBytes($0.encoded) } }, byteCount: 0) {
        [weak self] in self?.end($0, completion)
      }
    }
    guard let stored = downloader.engine.storedBody(of: request) else { return load(completion) }
    read(stored, byteCount: 0) { [weak self] result in
      if case .failure(.image(.notCached)) = result {
        self?.load(completion)
      } else {
        self?.end(result, completion)
      }
    }
  }

  /// Loads the bytes of the image into memory.
  private func load(_ completion: @escaping OpenCompletion) {
    let generation = generation
    let loaded: ImageTask.Completion = { [weak self] result in
      guard let self, self.generation == generation else { return }
      switch result {
      case .success(let response):
        guard let data = response.data else { return self.end(.failure(.notSupported), completion) }
        let cache = downloader.dataCache
        let bytes = RegionBytes(EncodedBytes(data)) { cache?.digest(of: data) }
        self.read({ bytes }, byteCount: data.count) { [weak self] in self?.end($0, completion) }
      case .failure(let error): self.end(.failure(.image(error)), completion)
      }
    }
    let task = ImageTask(request, additionalIdentifier: nil, completion: loaded)
    phase = .loading(task)
    downloader.begin(task)
  }

  private func read(
    _ bytes: @escaping @Sendable () -> RegionBytes?, byteCount: Int,
    _ completion: @escaping @MainActor @Sendable (Result<any ImageRegionDecoder, RegionError>) -> Void
  ) {
    let generation = generation
    let reservation = MemoryReservation(byteCount, in: maker.ledger, as: .decoding)
    self.reservation = reservation
    let job = maker.open(bytes, of: content, limits: request.limits, reservation: reservation) {
      [weak self] result in
      MainActorQueue.main.post {
        guard let self, self.generation == generation else { return reservation.end() }
        completion(result)
      }
    }
    phase = .opening(job)
  }

  private func end(_ result: Result<any ImageRegionDecoder, RegionError>, _ completion: OpenCompletion) {
    switch result {
    case .success(let decoder):
      phase = .open(RegionSession(decoder, maker))
      completion(.success(decoder.layout))
    case .failure(let error):
      close()
      completion(.failure(error))
    }
  }

  /// Decodes a region of an open image. `completion` is called once, unless the returned operation is cancelled before;
  /// with `.cancelled` if the image is not open. Regions of a PNG are decoded from top to bottom, those of the same
  /// rows together; `priority` orders them only against other images.
  package func decode(
    _ region: ImageRegion, priority: ImageRequest.Priority, completion: @escaping RegionCompletion
  ) -> RegionLoad {
    guard case .open(let session) = phase else {
      let load = RegionLoad(completion)
      MainActorQueue.main.post { load.end(.failure(.cancelled)) }
      return load
    }
    return session.decode(region, priority: priority, completion: completion)
  }

  /// Releases the encoded image and what was made of it. Decoded regions stay, and running decodes end.
  package func close() {
    generation += 1
    switch phase {
    case .loading(let task): task.cancel()
    case .opening(let job): job.cancel()
    case .open, .closed: break
    }
    phase = .closed
    reservation?.end()
    reservation = nil
  }
}

/// Passes the pressure on memory to the main actor.
private final class RegionPressure: MemoryHolder {
  private let box = Shared<(@MainActor @Sendable (Bool) -> Void)?>(nil)

  var handler: (@MainActor @Sendable (_ isCritical: Bool) -> Void)? {
    get { box.withLock { $0 } }
    set { box.withLock { $0 = newValue } }
  }

  func count(against ledger: MemoryLedger) { ledger.register(self, as: .decoding) }

  func release(bytes: Int) { call(false) }

  func handlePressure(_ pressure: MemoryPressure) { call(pressure == .critical) }

  private func call(_ isCritical: Bool) {
    MainActorQueue.main.post { self.handler?(isCritical) }
  }
}
