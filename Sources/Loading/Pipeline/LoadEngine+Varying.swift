import VitrineGraphics

// Headers that a server names in `Vary` (RFC 9110, 12.5.5).

extension LoadEngine {
  /// The identity with those headers counted that the server has said to matter.
  func counted(_ identity: RequestIdentity) -> RequestIdentity {
    identity.counting(state.withLock { $0.varying.names(for: identity.url) })
  }

  /// The head of an answer is here. Where it names headers that nobody knew to matter, it is for those who sent the
  /// same; the others ask again, each for its own.
  func responseArrived(_ response: TransportResponse, of receiver: FetchReceiver) {
    guard response.headers["Vary"] != nil else { return }
    let moved = state.withLock { state -> Work in
      guard state.transfers[receiver.id]?.receiver === receiver,
        let fetched = state.registry.request(of: receiver.id)?.identity,
        state.varying.learn(from: response.headers, for: fetched.url)
      else { return Work() }
      let names = state.varying.names(for: fetched.url)
      let answered = fetched.counting(names)
      // What was learnt before may have been forgotten meanwhile.
      let isUnderWay = answered != fetched && state.registry.isFetching(answered)
      var actions: [LoadAction] = []
      var others: [(ImageTask, ImageRequest)] = []
      for id in state.registry.tasks(of: receiver.id) {
        guard let task = state.tasks[id] else { continue }
        var request = task.request
        request.identity = request.identity.counting(names)
        if request.identity == answered, !isUnderWay { continue }
        request.priority = task.priority
        state.tasks[id] = nil
        receiver.remove(task)
        actions += state.registry.leave(id)
        others.append((task, request))
      }
      state.registry.setIdentity(answered, of: receiver.id)
      state.transfers[receiver.id]?.identity = answered.asSent
      for (task, request) in others {
        actions += start(task, request, LookupNotes(began: trace.now, memory: .bypassed), &state)
      }
      return state.work(actions)
    }
    perform(moved)
  }
}
