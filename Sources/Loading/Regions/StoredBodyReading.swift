/// A disk cache whose stored bodies can be read in parts.
package protocol StoredBodyReading: ImageDataCache {
  /// Returns a stored response whose body has been verified and stays on disk; `nil` if there is none. Removing the
  /// response later does not affect the body. O(bytes).
  func storedBody(for identity: RequestIdentity) -> StoredBody?
}

/// A stored response with its body on disk.
package struct StoredBody: Sendable {
  /// The response without its body.
  package let response: StoredResponse
  package let bytes: EncodedBytes
  /// The digest of the body.
  package let digest: BodyDigest

  package init(response: StoredResponse, bytes: EncodedBytes, digest: BodyDigest) {
    self.response = response
    self.bytes = bytes
    self.digest = digest
  }
}
