public import VitrineLoading

// Lookups of heads without bodies. A 304 for a response of a seed copies the response to the top layer.

extension LayeredImageCache {
  /// Returns the head of the first layer that has the response, from the top. With the policy `.concurrent`, a layer that
  /// does not respond counts as one without the response.
  public func head(for identity: RequestIdentity) -> StoredHead? {
    firstHead { self.visibleHead(in: $0, for: identity) }
  }

  /// Returns what `head(for:)` returns, and writes nothing to the tables of heads.
  package func readHead(for identity: RequestIdentity) -> (head: StoredHead, isRecorded: Bool)? {
    firstHead { self.readVisibleHead(in: $0, for: identity) }
  }

  /// Records the head in the table of each layer that has the response.
  package func recordHead(for identity: RequestIdentity) {
    for case let layer as any HeadRecords in layers { layer.recordHead(for: identity) }
  }

  private func firstHead<Head: Sendable>(_ find: @escaping @Sendable (_ index: Int) -> Head?) -> Head? {
    let indices = policies.lookups.layers(of: layers.count)
    guard policies.lookups == .concurrent else { return indices.lazy.compactMap { find($0) }.first }
    return indices.lazy.compactMap { index in
      self.concurrent.firstResult(in: [index]) { index, _ in find(index) }
    }.first
  }

  /// True if each layer finds the heads of all its responses.
  public var findsAllHeads: Bool { layers.allSatisfy(\.findsAllHeads) }

  /// Replaces the head of the response in the top layer. If only a lower layer has the response, stores the body of
  /// that layer with the new head in the top layer: once for each image of a seed that its server has confirmed.
  @discardableResult
  public func update(_ head: StoredResponse, of body: BodyDigest, for identity: RequestIdentity) -> Bool {
    guard let top = layers.first else { return false }
    if top.update(head, of: body, for: identity) { return true }
    // The top layer has another body, which is newer than that of a lower layer.
    guard top.head(for: identity) == nil else { return false }
    for index in layers.indices.dropFirst() {
      guard let lower = visibleHead(in: index, for: identity) else { continue }
      guard lower.body == body, var response = visible(in: index, for: identity, reserving: { _ in }),
        digest(of: response.body) == body
      else { return false }
      response.response = head.response
      (response.requested, response.received) = (head.requested, head.received)
      (response.varying, response.varyingKey) = (head.varying, head.varyingKey)
      return top.store(response, for: identity)
    }
    return false
  }

  /// Returns the digest of the top layer.
  public func digest(of body: [UInt8]) -> BodyDigest? { layers.first?.digest(of: body) }
}
