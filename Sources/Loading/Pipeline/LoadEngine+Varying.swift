import VitrineConcurrency
import VitrineGraphics

// Headers that a server names in `Vary` (RFC 9110, 12.5.5).

extension LoadEngine {
  /// Returns the identity including the headers that the server has named in `Vary`.
  func counted(_ identity: RequestIdentity) -> RequestIdentity {
    identity.addingHeaders(named: state.withLock { $0.varying.names(for: identity.url) })
  }

  /// Called when the head of a response has arrived. If `Vary` names headers that were not known to matter, the
  /// response is for the callers that sent equal values. The other callers send requests of their own.
  func responseArrived(_ response: TransportResponse, of receiver: FetchReceiver) {
    guard response.headers["Vary"] != nil || addsCredentials else { return }
    // Computed without the lock, for loads that send their request again.
    let now = addsCredentials ? credentialsNow(of: receiver) : nil
    let moved = state.withLock { state -> Work in
      guard state.transfers[receiver.id]?.receiver === receiver, state.registry.isRunning(receiver.id) else {
        return Work()
      }
      let sent = addsCredentials ? response.credentials : nil
      return state.work(split(receiver.id, by: response.headers, sent: sent, now: now, &state))
    }
    perform(moved)
  }

  private func credentialsNow(of receiver: FetchReceiver) -> CredentialDigests? {
    state.withLock { $0.registry.request(of: receiver.id) }.map { credentials(for: $0) }
  }

  /// Splits a fetch: a caller that sent another value of a header in `Vary` than the fetch leaves the fetch, and sends
  /// a request of its own. Called with the lock held.
  ///
  /// - Parameters:
  ///   - sent: Digests of the credentials that the transport has added; `nil` if unknown, or if the transport never
  ///     adds any.
  ///   - now: Digests of the credentials that the transport would add to another request.
  func split(
    _ id: FetchID, by headers: HTTPHeaders, sent: CredentialDigests? = nil, now: CredentialDigests? = nil,
    _ state: inout State
  ) -> [LoadAction] {
    guard let asked = state.registry.fetches[id]?.key else { return [] }
    let fetched = sent.map { asked.sentWith($0) } ?? asked
    state.varying.learn(from: headers, for: fetched.url)
    let names = state.varying.names(for: fetched.url)
    guard !names.isEmpty || fetched != asked else { return [] }
    let responded = fetched.addingHeaders(named: names)
    // A fetch with the new identity may be under way already, if the names were known earlier and forgotten since.
    let isUnderWay = responded != asked && state.registry.isFetching(responded)
    var actions: [LoadAction] = []
    var others: [(ImageTask, ImageRequest)] = []
    for task in state.registry.tasks(of: id) {
      guard let caller = state.tasks[task] else { continue }
      var request = caller.request
      // A load that joined with the same credentials as the first shares the response, even if the credentials changed
      // later.
      if let sent, request.identity.credentials == asked.credentials {
        request.identity = request.identity.sentWith(sent)
      }
      request.identity = request.identity.addingHeaders(named: names)
      if request.identity == responded, !isUnderWay { continue }
      if let now { request.identity = caller.request.identity.sentWith(now).addingHeaders(named: names) }
      request.priority = caller.priority
      state.tasks[task] = nil
      state.transfers[id]?.receiver.remove(caller)
      actions += state.registry.leave(task)
      others.append((caller, request))
    }
    state.registry.setIdentity(responded, of: id)
    state.transfers[id]?.identity = responded.asSent
    for (caller, request) in others {
      actions += start(caller, request, LookupNotes(began: trace.now, memory: .bypassed), &state)
    }
    return actions
  }
}
