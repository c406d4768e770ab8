import Vitrine

/// The text of the status line, from the general to the particular: the feed with the state of its list, the offline
/// switch, the shown images by source with their age, those of them that are stale with age and reason, failures, and
/// memory.
nonisolated struct StatusText {
  /// The name of the feed, with the state of its list in words.
  var feed: String
  /// True if no request may leave the machine.
  var isOffline = false
  /// True if `feed` says how old the list is.
  var isListStale = false
  /// The number of images by source.
  var bySource: [ImageResponse.Source: Int] = [:]
  /// The number of stale images by reason.
  var stale: [StaleReason: Int] = [:]
  /// The age of the oldest stale image; `nil` if unknown.
  var oldest: StoredAge?
  /// The age of the oldest image from disk that is not stale; `nil` if unknown.
  var oldestFresh: StoredAge?
  /// The number of images that have failed and have not been loaded since.
  var failed = 0
  var cacheBytes = 0
  var textureBytes = 0

  var text: String { text(feed: feed, memory: memory) }

  /// The text; the text without memory; and the latter without the feed if there are images.
  var texts: [String] {
    [text, text(feed: feed, memory: nil), text(feed: count > 0 ? nil : feed, memory: nil)]
  }

  private func text(feed: String?, memory: String?) -> String {
    [feed, isOffline ? "offline" : nil, images, storedImages, failed > 0 ? "\(failed) failed" : nil, memory]
      .compactMap { $0 }
      .joined(separator: "   ·   ")
  }

  /// True if the text has an age, which grows.
  var showsAge: Bool { isListStale || oldest != nil || oldestFresh != nil }

  private var count: Int { bySource.values.reduce(0, +) }

  private var images: String? {
    guard count > 0 else { return nil }
    let origins: [(ImageResponse.Source, String)] = [
      (.network, "from the network"), (.memory, "from memory"), (.disk, "from disk"), (.file, "from files"),
    ]
    let parts = origins.compactMap { source, words in
      bySource[source].flatMap { $0 > 0 ? "\($0) \(words)\(source == .disk ? ageOnDisk($0) : "")" : nil }
    }
    return "\(count == 1 ? "1 image" : "\(count) images"): \(parts.joined(separator: ", "))"
  }

  /// Returns the age of images from disk in words; empty if stale images have a part with their age.
  private func ageOnDisk(_ count: Int) -> String {
    guard oldest == nil, let oldestFresh else { return "" }
    return " (stored \(count == 1 ? "" : "up to ")\(oldestFresh) ago)"
  }

  private var storedImages: String? {
    let stored = stale.values.reduce(0, +)
    guard stored > 0 else { return nil }
    let images = stored < count ? "\(stored) of them stored" : stored == 1 ? "stored image" : "stored images"
    let age = oldest.map { stored == 1 ? "\($0) old" : "up to \($0) old" }
    // A part of its own says that the program is offline.
    var reasons = StaleReason.allCases.filter { stale[$0, default: 0] > 0 && !(isOffline && $0 == .offline) }
    // A failure of some requests says more than that others wait.
    if reasons.count > 1 { reasons.removeAll { $0 == .waiting } }
    return ([images, age].compactMap { $0 } + reasons.map(\.text)).joined(separator: ", ")
  }

  private var memory: String { "\(megabytes(cacheBytes)) in memory, \(megabytes(textureBytes)) of textures" }

  private func megabytes(_ bytes: Int) -> String { "\((Double(bytes) / 104_857.6).rounded() / 10) MB" }
}
