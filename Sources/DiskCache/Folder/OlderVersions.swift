/// The contents of cache folders that older versions of the format have left.
enum OlderVersions {
  /// The names of the folders.
  static let names = ["v1", "v2"]
  /// The files beside the subfolders of responses.
  static let files = ["key", "locks"]

  /// Returns true for the name of a subfolder that contains nothing but files of the cache.
  static func isCacheFolder(_ name: String) -> Bool {
    let isShard = name.utf8.count == 2 && name.allSatisfy { Shard.isName(String($0)) }
    return isShard || ["gone", "incomplete"].contains(name) || name.hasPrefix(RemovedFolder.prefix)
  }
}
