@testable import VitrineLoading

/// The actions of one kind, in order.
extension [LoadAction] {
  var questions: [FetchQuestion] {
    flatMap { action -> [FetchQuestion] in
      if case .prepareFetches(let questions) = action { questions } else { [] }
    }
  }
  var lookups: [FetchID] { compactMap { if case .lookUp(let id, _, _) = $0 { id } else { nil } } }
  var fetches: [FetchID] {
    compactMap { if case .startFetch(let id, _) = $0 { id } else { nil } }
  }
  var decodes: [DecodeID] {
    compactMap { if case .decode(let id, _, _, _) = $0 { id } else { nil } }
  }
  var keeps: Int { count { if case .keep = $0 { true } else { false } } }
  var stores: [ImageRequest.Cache] {
    compactMap { if case .store(_, _, let request, _) = $0 { request.cache } else { nil } }
  }
}
