/// A place in a cache folder: whose response lies there, under which name.
struct DiskEntry {
  let identity: RequestIdentity
  let key: DiskKey
  let name: ContentHash

  /// The name of the folder that the file lies in.
  var shard: String { String(name.hex.prefix(2)) }
}
