import Synchronization
import VitrineConcurrency
import VitrineGraphics

/// Carries out the decisions of `PrefetchPlan`, and connects the plan with the downloader, the handlers and the
/// delegate.
final class PrefetchEngine: Sendable {
  /// The handlers of a list, which are called after the delegate.
  struct Handlers: Sendable {
    var progress: (@MainActor (ImagePrefetch.Progress) -> Void)?
    var completion: (@MainActor (ImagePrefetch.Progress) -> Void)?
  }

  private struct List {
    let items: [ImagePrefetcher.Item]
    let targetSize: DecodeTarget?
    let handlers: Handlers
    let token: ImagePrefetch
  }

  private struct State {
    var plan = PrefetchPlan()
    /// The lists whose end has not been reported yet.
    var lists: [PrefetchPlan.ListID: List] = [:]
    var tasks: [PrefetchPlan.Item: any Cancellable] = [:]
    weak var prefetcher: ImagePrefetcher?
    weak var delegate: (any ImagePrefetcherDelegate)?
    /// The downloader whose return to the network starts postponed images.
    weak var observed: ImageDownloader?
    var observation: (any Cancellable)?
  }

  /// The downloader; nil for the shared one at the time of each load.
  private let downloader: ImageDownloader?
  private let priority: ImageRequest.Priority
  private let destination: ImagePrefetcher.Destination
  private let state = Mutex(State())

  init(
    downloader: ImageDownloader?, priority: ImageRequest.Priority, destination: ImagePrefetcher.Destination
  ) {
    self.downloader = downloader
    self.priority = priority
    self.destination = destination
  }

  var plan: PrefetchPlan { state.withLock { $0.plan } }

  var delegate: (any ImagePrefetcherDelegate)? {
    get { state.withLock { $0.delegate } }
    set { state.withLock { $0.delegate = newValue } }
  }

  /// Sets the prefetcher that the delegate receives.
  func setPrefetcher(_ prefetcher: ImagePrefetcher) { state.withLock { $0.prefetcher = prefetcher } }

  func add(
    _ items: [ImagePrefetcher.Item], targetSize: DecodeTarget?, _ handlers: Handlers
  ) -> ImagePrefetch {
    let (token, steps) = state.withLock { state in
      let (id, steps) = state.plan.add(count: items.count)
      let token = ImagePrefetch(total: items.count) { [weak self] in self?.change { $0.cancel(id) } }
      state.lists[id] = List(items: items, targetSize: targetSize, handlers: handlers, token: token)
      return (token, steps)
    }
    carryOut(steps)
    return token
  }

  /// Cancels the images of some sources in all lists.
  func cancel(_ sources: [any ImageRequestConvertible]) {
    let identities = Set(sources.compactMap { try? $0.asImageRequest().identity })
    let remaining = state.withLock { state in
      state.plan.remaining.compactMap { planItem in
        state.lists[planItem.list].map { (planItem, $0.items[planItem.index].source) }
      }
    }
    // A source is code of the application, which must not run with the lock held.
    let cancelled = remaining.filter { _, source in
      (try? source.asImageRequest().identity).map(identities.contains) ?? false
    }
    change { $0.cancel(cancelled.map(\.0)) }
  }

  /// Updates the plan with the lock held, then carries out the steps without the lock.
  func change(_ decide: (inout PrefetchPlan) -> PrefetchPlan.Steps) {
    carryOut(state.withLock { decide(&$0.plan) })
  }

  private func carryOut(_ steps: PrefetchPlan.Steps) {
    apply(steps)
    if !steps.reports.isEmpty { MainActorQueue.main.post { self.notify(steps.reports) } }
  }

  private func apply(_ steps: PrefetchPlan.Steps) {
    let (cancelled, ended) = state.withLock { state in
      let ended = steps.reports.compactMap { report in
        report.listProgress.flatMap { id, progress in state.lists[id].map { ($0.token, progress) } }
      }
      return (steps.cancellations.compactMap { state.tasks.removeValue(forKey: $0) }, ended)
    }
    for (token, progress) in ended { token.update(progress) }
    for task in cancelled { task.cancel() }
    for item in steps.loads { load(item) }
  }

  private func load(_ planItem: PrefetchPlan.Item) {
    let found = state.withLock { state in
      state.lists[planItem.list].map { ($0.items[planItem.index], $0.targetSize) }
    }
    guard let (item, targetSize) = found else { return }
    var request: ImageRequest
    do throws(ImageError) {
      request = try item.source.asImageRequest()
    } catch {
      return MainActorQueue.main.post { self.ended(planItem, .failure(error), downloader: nil) }
    }
    request.priority = min(request.priority, priority)
    if request.targetSize == nil { request.targetSize = targetSize }
    let downloader = downloader ?? .shared
    let task: any Cancellable =
      switch destination {
      case .memory:
        downloader.prefetch(
          request, additionalIdentifier: item.additionalIdentifier,
          completion: { result in self.ended(planItem, result.map { _ in true }, downloader: downloader) })
      case .disk:
        CancellableTask(
          Task { [request] in
            await ended(planItem, downloader.prefetchData(for: request), downloader: downloader)
          })
      }
    // The load may have ended, or may have been cancelled before there was a task to cancel.
    let isActive = state.withLock { state in
      guard state.plan.isActive(planItem) else { return false }
      state.tasks[planItem] = task
      return true
    }
    if !isActive { task.cancel() }
  }

  /// Handles the end of a load; the result is true if the image has been loaded.
  @MainActor private func ended(
    _ item: PrefetchPlan.Item, _ result: Result<Bool, ImageError>, downloader: ImageDownloader?
  ) {
    if case .failure(.offline) = result, let downloader { return postpone(item, downloader) }
    let steps = state.withLock { state in
      state.tasks[item] = nil
      return state.plan.ended(item, isLoaded: (try? result.get()) == true)
    }
    apply(steps)
    // Called directly instead of posted: after a cancellation on the main actor, only the end of the list is reported.
    notify(steps.reports)
  }

  /// Makes an image wait until the downloader is no longer offline.
  private func postpone(_ item: PrefetchPlan.Item, _ downloader: ImageDownloader) {
    if state.withLock({ $0.observed }) !== downloader {
      let observation = downloader.observeConnectivity { [weak self] in self?.change { $0.online() } }
      state.withLock { state in
        state.observation = observation
        state.observed = downloader
      }
    }
    state.withLock { $0.tasks[item] = nil }
    change { $0.postpone(item) }
    // The observation may have begun too late for the end of this time.
    if !downloader.isOffline { change { $0.online() } }
  }

  @MainActor private func notify(_ reports: [PrefetchPlan.Report]) {
    let (prefetcher, delegate) = state.withLock { ($0.prefetcher, $0.delegate) }
    for report in reports {
      switch report {
      case .progress(let planItem, let isLoaded, let progress):
        guard let list = state.withLock({ $0.lists[planItem.list] }) else { continue }
        if let prefetcher {
          delegate?.prefetcher(
            prefetcher, didFinish: list.items[planItem.index], isLoaded: isLoaded, progress: progress)
        }
        list.handlers.progress?(progress)
      case .end(let id, let progress):
        state.withLock { $0.lists.removeValue(forKey: id) }?.handlers.completion?(progress)
      case .allEnded(let progress):
        if let prefetcher { delegate?.prefetcher(prefetcher, didFinishAll: progress) }
      }
    }
  }
}

extension PrefetchPlan.Report {
  /// The list of the report with its progress; nil for the end of all lists.
  fileprivate var listProgress: (PrefetchPlan.ListID, ImagePrefetch.Progress)? {
    switch self {
    case .progress(let item, _, let progress): (item.list, progress)
    case .end(let id, let progress): (id, progress)
    case .allEnded: nil
    }
  }
}
