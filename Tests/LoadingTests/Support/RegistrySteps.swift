import FoundationEssentials
import Testing
import VitrineConcurrency
import VitrineGraphics

@testable import VitrineLoading

/// Suites that give inputs to a load registry and compare the resulting actions, in words.
protocol RegistrySteps {}

extension RegistrySteps {
  static var small: DecodeTarget { DecodeTarget(width: 8, height: 8) }
  var bytes: FetchedBytes { FetchedBytes(body: [1, 2, 3], response: nil, metrics: TransportMetrics()) }

  /// Starts a load and returns its id and the resulting actions, in words.
  func start(
    _ registry: inout LoadRegistry, _ request: ImageRequest, _ identifier: String? = nil
  ) -> (task: TaskID, actions: [String]) {
    let (task, actions) = registry.start(Caller(request, identifier))
    return (task, actions.map(words))
  }

  func words(_ action: LoadAction) -> String {
    switch action {
    case .startFetch(_, let request): "fetch \(request.url.lastPathComponent)"
    case .prepareFetches(let questions):
      "prepare \(questions.map(\.request.url.lastPathComponent).joined(separator: " "))"
    case .checkLocks(let identities): "check \(identities.count) locks"
    case .lookUp(_, let request, _): "look up \(request.url.lastPathComponent)"
    case .cancelLookup: "cancel look up"
    case .skipLookup: "skip look up"
    case .keep: "keep"
    case .discard: "discard"
    case .revalidate: "revalidate"
    case .serveCopy: "serve copy"
    case .cancelFetch: "cancel fetch"
    case .decode(_, _, let key, _): key.target == nil ? "decode" : "decode small"
    case .transform(_, _, let request, _): "transform \(request.transforms.map(\.identifier))"
    case .pauseFetch: "pause fetch"
    case .wake: "wake"
    case .announceRetry: "announce retry"
    case .showMeanwhile: "show meanwhile"
    case .moveTask: "move task"
    case .cancelWork: "cancel work"
    case .reprioritizeWork(_, let priority): "reprioritize \(priority)"
    case .store(_, _, _, let identifier): "store \(identifier ?? "-")"
    case .storePixels: "store pixels"
    case .deliver(let tasks, .success): "deliver to \(tasks.count)"
    case .deliver(let tasks, .failure(let error)): "fail \(tasks.count): \(error)"
    }
  }

  func decodeID(_ actions: [LoadAction]) throws -> DecodeID {
    try #require(actions.compactMap { if case .decode(let id, _, _, _) = $0 { id } else { nil } }.first)
  }

  func processedImageID(_ actions: [LoadAction]) throws -> ProcessedImageID {
    try #require(
      actions.compactMap {
        switch $0 {
        case .store(let id, _, _, _), .transform(let id, _, _, _): id
        default: nil
        }
      }.first)
  }
}

extension FetchEnd {
  static func success(_ bytes: FetchedBytes) -> FetchEnd { FetchEnd(.bytes(bytes), response: bytes.response) }
  static func failure(_ error: ImageError) -> FetchEnd { FetchEnd(.failed(error)) }
}

extension LoadRegistry {
  /// Handles a single answer of the disk cache before a transfer.
  mutating func prepared(_ id: FetchID, _ preparation: FetchPreparation) -> [LoadAction] {
    prepared([(id, preparation)])
  }
}
