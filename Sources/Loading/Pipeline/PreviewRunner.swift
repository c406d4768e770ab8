import VitrineConcurrency
import VitrineGraphics

/// Makes the previews that are due, and shows these to the waiting tasks.
struct PreviewRunner: Sendable {
  private let state: Shared<LoadState>
  private let maker: PreviewMaker
  private let clock: any LoadingClock
  /// The minimum number of seconds between two previews.
  private let interval: Double

  init(_ state: Shared<LoadState>, _ maker: PreviewMaker, _ configuration: ImageDownloader.Configuration) {
    self.state = state
    self.maker = maker
    clock = configuration.environment.clock
    interval = configuration.intervals.preview
  }

  /// Begins the previews that are due, after more bytes were received. Returns the time of the next call in
  /// nanoseconds.
  func bytesArrived(_ beginning: PreviewSchedule.Beginning, of receiver: FetchReceiver) -> Int64 {
    let now = clock.now
    var jobs: [PreviewJob] = []
    var next = Int64.max
    state.releaseAfterLock { state in
      state.now = now
      if state.attempts.isCurrent(receiver) {
        (jobs, next) = state.registry.previews.begin(
          of: receiver.id, beginning, interval: interval, at: now, in: state.registry.loads.tree)
      }
      return state.registry.previews.takeReleasedDecoders()
    }
    var isSkipped = false
    for job in jobs {
      let isSubmitted = maker.submit(job, beginning) {
        receiver.bytes(of: beginning)
      } show: { image, memory, cancellation in
        show(image, job, memory, cancellation)
      } end: { end in
        state.withLock { state in
          state.now = clock.now
          ended(job, end, at: state.now, in: &state.registry.previews)
        }
      }
      guard !isSubmitted else { continue }
      isSkipped = true
      state.withLock { $0.registry.previews.skip(job, job.decoder) }
    }
    return isSkipped ? now : next
  }

  private func ended(_ job: PreviewJob, _ end: PreviewMaker.End, at now: Int64, in plan: inout PreviewPlan) {
    switch end {
    case .skipped(let decoder): plan.skip(job, decoder, until: now.advanced(bySeconds: interval))
    case .ended(let decoder, let hasPreview):
      plan.end(job, decoder, hasPreview: hasPreview, interval: interval, at: now)
    }
  }

  /// Shows a preview to the callers that want previews, with the transforms of each request.
  ///
  /// - Parameter memory: The reservation with which the preview was made.
  private func show(
    _ image: Image, _ job: PreviewJob, _ memory: MemoryReservation, _ cancellation: DecodeCancellation
  ) {
    let images = state.withLock { $0.registry.previews.images(of: job, in: $0.registry.loads.tree) }
    for (id, transforms) in images {
      let preview = (try? image.applying(transforms, cancellation).get())?.asPreview
      // The frames of a preview are counted in the ledger of the preview.
      if let preview, preview.isAnimated { preview.countAsShown(movedFrom: memory) }
      for task in state.withLock({ $0.previewIsReady(preview, of: id, job) }) {
        if let preview { task.show(preview) }
      }
    }
  }
}
