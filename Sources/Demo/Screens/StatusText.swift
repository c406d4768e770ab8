import Vitrine

/// The text of the status line: the shown images by source, the offline switch, stale images, failures and memory.
nonisolated struct StatusText {
  /// The name of the feed, with the state of its list in words.
  var feed: String
  /// True if no request may leave the machine.
  var isOffline = false
  /// The number of images by source.
  var bySource: [ImageResponse.Source: Int] = [:]
  /// The number of stale images by reason.
  var stale: [StaleReason: Int] = [:]
  /// The age of the oldest stale image.
  var oldest: StoredAge?
  var failed = 0
  var cacheBytes = 0
  var textureBytes = 0

  var text: String {
    [feed, isOffline ? "offline" : nil, images, storedImages, failed > 0 ? "\(failed) failed" : nil, memory]
      .compactMap { $0 }
      .joined(separator: "   ·   ")
  }

  private var count: Int { bySource.values.reduce(0, +) }

  private var images: String? {
    guard count > 0 else { return nil }
    let origins: [(ImageResponse.Source, String)] = [
      (.network, "from the network"), (.memory, "from memory"), (.disk, "from disk"), (.file, "from files"),
    ]
    let parts = origins.compactMap { source, words in
      bySource[source].flatMap { $0 > 0 ? "\($0) \(words)" : nil }
    }
    return "\(count == 1 ? "1 image" : "\(count) images"): \(parts.joined(separator: ", "))"
  }

  private var storedImages: String? {
    let stored = stale.values.reduce(0, +)
    guard stored > 0 else { return nil }
    let reasons = StaleReason.allCases.filter { stale[$0, default: 0] > 0 }.map(\.text)
    let images = stored < count ? "\(stored) of them stored" : "stored images"
    let age = oldest.map { stored == 1 ? ", \($0) old" : ", up to \($0) old" } ?? ""
    return "\(images)\(age), \(reasons.joined(separator: "; "))"
  }

  private var memory: String { "\(megabytes(cacheBytes)) in memory, \(megabytes(textureBytes)) of textures" }

  private func megabytes(_ bytes: Int) -> String { "\((Double(bytes) / 104_857.6).rounded() / 10) MB" }
}
