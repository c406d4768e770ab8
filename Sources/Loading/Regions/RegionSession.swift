import VitrineConcurrency
import VitrineGraphics

/// Decodes regions of an open image. Regions that need the same rows are decoded in one pass. Lives until all regions
/// have been decoded or cancelled.
@MainActor
final class RegionSession {
  let layout: RegionLayout
  private let decoder: any ImageRegionDecoder
  private let maker: RegionMaker
  private var queue = RegionQueue()
  private var loads: [Int: RegionLoad] = [:]
  private var job: RegionJob?
  /// True while the next job is about to begin.
  private var isStarting = false
  /// True while regions wait or are decoded, so that the downloader is not idle between two jobs.
  private var holdsMaker = false

  init(_ decoder: any ImageRegionDecoder, _ maker: RegionMaker) {
    layout = decoder.layout
    self.decoder = decoder
    self.maker = maker
  }

  func decode(
    _ region: ImageRegion, priority: ImageRequest.Priority,
    completion: @escaping ImageRegions.RegionCompletion
  ) -> RegionLoad {
    let load = RegionLoad(completion)
    guard let rows = decoder.rows(of: region) else {
      let job = maker.decode(RegionBand(region), with: decoder, priority: priority) { result in
        MainActorQueue.main.post { load.end(result.map { $0[0] }) }
      }
      load.onCancel = { job.cancel() }
      return load
    }
    let number = queue.add(region, rows: rows, priority: priority)
    loads[number] = load
    updateHold()
    load.onCancel = { self.cancel(number) }
    startSoon()
    return load
  }

  private func cancel(_ number: Int) {
    loads[number] = nil
    defer { updateHold() }
    guard queue.cancel(number) else { return }
    job?.cancel()
    job = nil
    startSoon()
  }

  /// Begins the next job later, because a view requests and cancels all regions of a row in one call.
  private func startSoon() {
    guard !isStarting else { return }
    isStarting = true
    MainActorQueue.main.post {
      self.isStarting = false
      self.start()
    }
  }

  private func start() {
    guard let next = queue.next() else { return }
    job = maker.decode(next.band, with: decoder, priority: next.priority) { result in
      MainActorQueue.main.post { self.end(next.number, result) }
    }
  }

  private func end(_ number: Int, _ result: Result<[Image], ImageError>) {
    if case .failure(.tooLarge) = result, queue.split(number) { return start() }
    let ended = queue.end(number).map { number in number.flatMap { loads.removeValue(forKey: $0) } }
    start()
    updateHold()
    for (index, load) in ended.enumerated() { load?.end(result.map { $0[index] }) }
  }

  private func updateHold() {
    guard holdsMaker == queue.isEmpty else { return }
    holdsMaker.toggle()
    if holdsMaker { maker.beginHold() } else { maker.endHold() }
  }
}

/// The decode of a region for a caller on the main actor.
@MainActor
package final class RegionLoad {
  private var completion: ImageRegions.RegionCompletion?
  /// Called when the decode is cancelled before its end.
  var onCancel: (() -> Void)?

  init(_ completion: @escaping ImageRegions.RegionCompletion) { self.completion = completion }

  func end(_ result: Result<Image, ImageError>) {
    onCancel = nil
    let completion = completion.take()
    completion?(result)
  }

  /// Cancels the decode. Its completion is not called any more.
  package func cancel() {
    completion = nil
    let call = onCancel.take()
    call?()
  }
}
