import VitrineGraphics
import VitrineLoading
import VitrineTesting
import VitrineWidgets

@testable import VitrineImageWidgets

/// A slot's state without a view and a downloader: takes the effects and describes them by words.
@MainActor
final class SlotStateBench {
  var state = SlotState()
  /// The image set on the target.
  var target: Image?
  var needed = NeededSize.target(DecodeTarget(width: 100, height: 100))
  /// Calls code of the application when the effect with these words is performed.
  var onEffect: [String: () -> Void] = [:]
  private(set) var effects: [String] = []
  private(set) var results: [String] = []

  let red = Image.solid(width: 100, height: 100)
  let green = Image.solid(width: 100, height: 100)
  let placeholder = Image.solid(width: 1, height: 1)
  let failureImage = Image.solid(width: 2, height: 2)

  var scene: SlotScene { SlotScene(image: target, needed: needed, now: 0) }

  // Values of the state, which cannot be copied into an expectation.
  var load: SlotLoad? { state.load }
  var startedLoad: SlotLoad? { state.startedLoad }
  var runningLoads: [SlotLoad] { state.runningLoads }
  var url: String? { state.url }
  var activity: Activity { state.activity }
  var report: SlotReport? { state.report }

  // MARK: Inputs

  /// Makes a request, without performing effects.
  func request(
    _ name: String, _ options: SlotOptions = SlotOptions(), _ change: (inout ImageRequest) -> Void = { _ in }
  )
    throws
  {
    var request = try ImageRequest("http://a.test/\(name)")
    change(&request)
    _ = state.request(
      SlotRequest(request: request, additionalIdentifier: nil, placeholder: placeholder, options: options),
      SlotListeners(completion: completion(name)))
  }

  func refuse(isNil: Bool, _ options: SlotOptions = SlotOptions()) {
    let refusal = SlotRefusal(
      .invalidURL(""), isNil: isNil, placeholder: placeholder, options: options)
    _ = state.refuse(refusal, completion("refused"))
  }

  func find(_ image: Image?, for load: SlotLoad? = nil, isStale: Bool = false) {
    let staleness = isStale ? Staleness(age: 60, reason: nil) : nil
    state.found(image.map { SlotHit(image: $0, staleness: staleness) }, for: load, in: scene)
  }

  /// Makes a request, and performs all effects up to the running load.
  func load(_ name: String, _ options: SlotOptions = SlotOptions()) throws -> SlotLoad {
    try request(name, options)
    _ = take()
    find(nil)
    _ = take()
    guard let load = state.load else { throw ImageError.cancelled }
    state.start(load)
    _ = take()
    state.requested(load)
    _ = take()
    return load
  }

  func canStart(_ load: SlotLoad) -> Bool { state.canStart(load, in: scene) }

  func progressed(_ load: SlotLoad) -> Bool { state.progressed(load, to: .running(progress: 0.5)) }

  func respond(_ image: Image, to load: SlotLoad) {
    state.received(
      .success(ImageResponse(image: image, source: .network)), of: load, isStale: false, in: scene)
  }

  func fail(_ load: SlotLoad, _ error: ImageError = .status(500)) {
    state.received(.failure(error), of: load, isStale: false, in: scene)
  }

  private func completion(_ name: String) -> SlotCompletion {
    { [weak self] result in
      switch result {
      case .success: self?.results.append("\(name) loaded")
      case .failure(.cancelled): self?.results.append("\(name) cancelled")
      case .failure: self?.results.append("\(name) failed")
      }
    }
  }

  // MARK: Effects

  /// Performs all effects that need no view and no downloader, and returns the words of the effects since the last
  /// call.
  func take() -> [String] {
    performEffects()
    defer { effects = [] }
    return effects
  }

  /// Performs the effects as `ImageSlot` does.
  func performEffects() {
    while let effect = state.next() {
      let words = words(for: effect)
      effects.append(words)
      switch effect {
      case .show(let image, _): target = image
      case .complete(let handlers): handlers.callNext()
      case .showRefusal: state.showRefusal(in: scene)
      case .announce: _ = state.takeEvent()
      default: break
      }
      onEffect.removeValue(forKey: words)?()
    }
  }

  private func words(for effect: SlotEffect) -> String {
    switch effect {
    case .end: "end"
    case .cancel: "cancel"
    case .startIndicator: "start indicator"
    case .endIndicator(let isLoaded): isLoaded ? "fill indicator" : "end indicator"
    case .endRecovery: "end recovery"
    case .beginRecovery: "begin recovery"
    case .drawReport: "draw report"
    case .show(let image, let transition): "show \(name(image))" + (transition.isAnimated ? " animated" : "")
    case .awaitTransition(let image): "await \(name(image))"
    case .present(_, let image, _): "present \(name(image))"
    case .announce: "announce"
    case .complete: "complete"
    case .completeAfterTransition: "complete after transition"
    case .completeLater: "complete later"
    case .notifyActivity: "notify"
    case .lookUp(let load): load == nil ? "look up" : "look up load"
    case .start: "start"
    case .request(_, let isFirst): isFirst ? "request" : "request again"
    case .showRefusal: "show refusal"
    case .checkSize: "check size"
    }
  }

  private func name(_ image: Image?) -> String {
    switch image {
    case nil: "nothing"
    case red: "red"
    case green: "green"
    case placeholder: "placeholder"
    case failureImage: "failure image"
    default: "another image"
    }
  }
}
