package import VitrineLoading

extension LayeredImageCache: StoredBodyReading {
  /// Returns the body of the first layer that has the response, from the top; `nil` if that layer does not keep bodies
  /// in files.
  package func storedBody(for identity: RequestIdentity) -> StoredBody? {
    for index in policies.lookups.layers(of: layers.count) where visibleHead(in: index, for: identity) != nil
    {
      return (layers[index] as? any StoredBodyReading)?.storedBody(for: identity)
    }
    return nil
  }
}
