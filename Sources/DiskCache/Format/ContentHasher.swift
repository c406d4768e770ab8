import CHashing

/// Computes the `ContentHash` of bytes that arrive in parts.
struct ContentHasher: ~Copyable {
  /// The state of the C library; nil if there is no memory.
  private let state: OpaquePointer?

  init() {
    state = XXH3_createState()
    if let state { XXH3_128bits_reset(state) }
  }

  deinit { XXH3_freeState(state) }

  mutating func append(_ bytes: [UInt8]) {
    guard let state else { return }
    bytes.withUnsafeBytes { _ = XXH3_128bits_update(state, $0.baseAddress, $0.count) }
  }

  /// The hash of all bytes; nil if there is no memory for the state.
  var hash: ContentHash? {
    guard let state else { return nil }
    let hash = XXH3_128bits_digest(state)
    return ContentHash(high: hash.high64, low: hash.low64)
  }
}
