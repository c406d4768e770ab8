import VitrineGraphics
import VitrineLoading
import VitrineWidgets

/// One thing that a slot was asked for, and those who want to hear how it ends.
final class SlotLoad {
  let request: ImageRequest
  let additionalIdentifier: String?
  let placeholder: Image?
  let options: SlotOptions
  /// Nil until it is started: a slot without a size waits for one.
  var task: ImageTask?
  /// Window time at which it was asked for, or came into a window.
  var began: Double?
  /// The size that it was looked up and loaded at.
  var size = NeededSize.unknown
  /// Asks for more pixels of the picture that is shown, which stays if they cannot be had.
  let isForGrowth: Bool
  private var completions: [SlotCompletion]
  private var progresses: [SlotProgress]
  private var isFinished = false

  init(
    request: ImageRequest, additionalIdentifier: String?, placeholder: Image?, options: SlotOptions,
    progress: SlotProgress?, completion: SlotCompletion?
  ) {
    isForGrowth = false
    self.request = request
    self.additionalIdentifier = additionalIdentifier
    self.placeholder = placeholder
    self.options = options
    completions = completion.map { [$0] } ?? []
    progresses = progress.map { [$0] } ?? []
  }

  /// The same picture once more, for a slot that has grown.
  init(growing load: SlotLoad) {
    isForGrowth = true
    request = load.request
    additionalIdentifier = load.additionalIdentifier
    placeholder = nil
    options = load.options
    completions = []
    progresses = []
  }

  /// Whether it is the same picture, so that a second call joins instead of starting anew.
  func isSame(as request: ImageRequest, additionalIdentifier: String?) -> Bool {
    PictureIdentity(self.request, additionalIdentifier: self.additionalIdentifier)
      == PictureIdentity(request, additionalIdentifier: additionalIdentifier)
      && self.request.cachePolicy == request.cachePolicy
      && self.request.targetSize == request.targetSize
  }

  func join(progress: SlotProgress?, completion: SlotCompletion?) {
    if let progress { progresses.append(progress) }
    if let completion { completions.append(completion) }
  }

  func report(_ progress: ImageTask.Progress) {
    for hear in progresses { hear(progress) }
  }

  /// Tells everybody who waits, once; a second end is ignored.
  func finish(_ result: Result<ImageResponse, ImageError>) {
    guard !isFinished else { return }
    isFinished = true
    let waiting = completions
    completions = []
    progresses = []
    for completion in waiting { completion(result) }
  }

  /// Ends it for a slot that wants something else: a running task says so itself, later; one that was never
  /// started is told here, later too.
  func cancel() {
    if let task {
      task.cancel()
    } else {
      Task { @MainActor in self.finish(.failure(.cancelled)) }
    }
  }
}
