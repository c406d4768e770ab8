import VitrineGraphics

/// The headers that servers name in `Vary`, and the callers that a response does not serve because of these headers
/// (RFC 9110, 12.5.5). Makes decisions only.
struct VaryPlan {
  /// The callers of a fetch, split by the head of the response.
  struct Split {
    /// The identity that the fetch has from now on.
    let identity: RequestIdentity
    /// The callers that share the response, with the identities that their requests have from now on. Empty if the
    /// identity of the fetch does not change.
    var staying: [(task: TaskID, identity: RequestIdentity)] = []
    /// The callers that have sent another value of a header than the fetch, and send requests of their own.
    var others: [(task: TaskID, caller: Caller)] = []
  }

  private var headers = VaryingHeaders()

  /// Returns the identity including the headers that the server has named in `Vary`.
  func counting(_ identity: RequestIdentity) -> RequestIdentity {
    identity.addingHeaders(named: headers.names(for: identity.url))
  }

  /// Learns the headers that a response names, and splits the callers of the fetch. Returns `nil` if the response
  /// serves all callers under the present identity.
  ///
  /// - Parameter request: Returns the request of a caller as given; the identity is that of the waiting caller.
  mutating func split(
    _ id: FetchID, _ received: HTTPHeaders, _ credentials: AddedCredentials, in tree: StageTree,
    request: (TaskID) -> ImageRequest?
  ) -> Split? {
    guard let requested = tree[id]?.request.identity else { return nil }
    let fetched = credentials.sent.map { requested.sentWith($0) } ?? requested
    headers.learn(from: received, for: fetched.url)
    let names = headers.names(for: fetched.url)
    guard !names.isEmpty || fetched != requested else { return nil }
    var split = Split(identity: fetched.addingHeaders(named: names))
    // A fetch with the new identity may be under way already, if the names were known earlier and forgotten since.
    let isUnderWay = split.identity != requested && tree.isFetching(split.identity)
    for task in tree.tasks(of: id) {
      guard let waiter = tree[task], var request = request(task) else { continue }
      let own = waiter.identity
      request.identity = own
      // A load that joined with the same credentials as the first shares the response, even if the credentials changed
      // later.
      if let sent = credentials.sent, own.credentials == requested.credentials {
        request.identity = own.sentWith(sent)
      }
      request.identity = request.identity.addingHeaders(named: names)
      if request.identity == split.identity, !isUnderWay {
        if split.identity != requested { split.staying.append((task, request.identity)) }
        continue
      }
      if let current = credentials.current {
        request.identity = own.sentWith(current).addingHeaders(named: names)
      }
      request.priority = waiter.priority
      let identifier = tree[waiter.processedImage]?.additionalIdentifier
      split.others.append(
        (task, Caller(request, identifier, isPaused: waiter.isPaused, purpose: waiter.purpose)))
    }
    return split
  }
}

/// Digests of the credentials that a transport itself adds to requests; see `CredentialDigests`.
struct AddedCredentials {
  /// The credentials of the request that was sent; `nil` if unknown, or if the transport never adds any.
  var sent: CredentialDigests?
  /// The credentials that the transport would add to another request.
  var current: CredentialDigests?
}
