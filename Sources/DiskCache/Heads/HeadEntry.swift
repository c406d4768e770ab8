import VitrineLoading

/// The head of a stored response in the table of heads, and the version of the file that it was read from.
///
///     16  name of the file
///     8   inode of the file
///     8   time of the file's last change in nanoseconds since 1970
///     8   length of the file
///     8   length of the body
///     16  hash of the body
///     4   length of the head
///         the head, as in a `ResponseFile`
struct HeadEntry: Equatable {
  /// The maximum length of a head. With longer heads, a bucket would have fewer than three entries.
  static let maximumHeadBytes = 1200

  /// The version of a file. Two versions differ at least in the time: its nanoseconds are random (`FileTimes`).
  struct Version: Equatable {
    let inode: UInt64
    /// The time of the last change in nanoseconds since 1970.
    let modified: Int64
    let size: Int
  }

  let name: ContentHash
  let version: Version
  let bodyLength: Int
  let bodyHash: ContentHash
  let head: ArraySlice<UInt8>

  /// The number of bytes of the entry.
  var length: Int { 68 + head.count }

  func write(to writer: inout ByteWriter) {
    writer.append(name)
    writer.append(version.inode)
    writer.append(version.modified)
    writer.append(UInt64(clamping: version.size))
    writer.append(UInt64(clamping: bodyLength))
    writer.append(bodyHash)
    writer.append(Array(head))
  }
}

extension HeadEntry {
  /// Reads an entry; nil if it is malformed.
  init?(_ reader: inout ByteReader) {
    guard let name = reader.hash(), let inode = reader.number(UInt64.self),
      let modified = reader.number(Int64.self),
      let size = reader.number(UInt64.self).flatMap({ Int(exactly: $0) }),
      let bodyLength = reader.number(UInt64.self).flatMap({ Int(exactly: $0) }), let bodyHash = reader.hash(),
      let head = reader.lengthPrefixedBytes()
    else { return nil }
    self.init(
      name: name, version: Version(inode: inode, modified: modified, size: size), bodyLength: bodyLength,
      bodyHash: bodyHash, head: head)
  }
}

extension FileStatus {
  /// The version of the file; nil on a file system whose times are not exact, where two versions may have the same
  /// time: FAT stores whole seconds, exFAT hundredths of a second.
  var version: HeadEntry.Version? {
    guard modified % 1_000_000 != 0 else { return nil }
    return HeadEntry.Version(inode: identity.number, modified: modified, size: size)
  }
}
