import VitrineLoading

/// The location of a response in a cache folder: the key and the file name.
struct DiskEntry {
  let identity: RequestIdentity
  let key: DiskKey
  let name: ContentHash

  /// The name of the subfolder that holds the file.
  var shard: String { Shard.name(of: name) }
}
