import Glibc

/// An open hash table on disk: a header (`BucketFileHeader`) and buckets.
///
/// The number of buckets is fixed when the file is made. Opening the file reads its header only, a lookup reads one
/// bucket, and nothing is kept in memory, so that the cost of both does not depend on the number of entries.
final class BucketFile<Content: Bucket>: Sendable {
  /// The number of buckets, a power of two.
  let bucketCount: Int
  private let file: Descriptor
  private let identity: FileIdentity

  private init(_ file: consuming Descriptor, _ identity: FileIdentity, bucketCount: Int) {
    self.file = file
    self.identity = identity
    self.bucketCount = bucketCount
  }

  /// Opens the file for reading; nil if there is none, or if it is damaged or of another version.
  static func open(in folder: borrowing Descriptor) throws(SystemError) -> BucketFile? {
    do throws(SystemError) {
      let file = try ResponseReader.open(Content.fileName, in: folder)
      let status = try file.status
      // Read once more if the header seems to be damaged: without it, all entries are lost.
      var count = try bucketCount(of: file, status)
      if count == nil { count = try bucketCount(of: file, status) }
      guard let count else { return nil }
      return BucketFile(file, status.identity, bucketCount: count)
    } catch {
      // A link or a device has taken the place of the file.
      guard [ENOENT, ELOOP, ENXIO, ENOTDIR, EISDIR].contains(error.code) else { throw error }
      return nil
    }
  }

  private static func bucketCount(
    of file: borrowing Descriptor, _ status: FileStatus
  ) throws(SystemError) -> Int? {
    guard status.isRegular else { return nil }
    let header = try bytes(of: file, at: 0, count: BucketFileHeader.length, size: status.size)
    return BucketFileHeader.bucketCount(header, magic: Content.magic)
  }

  /// Reads bytes of a file of `size` bytes. Throws if fewer bytes could be read than the file has.
  private static func bytes(
    of file: borrowing Descriptor, at offset: Int, count: Int, size: Int
  ) throws(SystemError) -> [UInt8] {
    let bytes = try ResponseReader.bytes(of: file, at: offset, count: count)
    guard bytes.count >= min(count, size - offset) else { throw SystemError(EIO) }
    return bytes
  }

  /// Makes a new file in place of an old one, with some buckets; all others are empty.
  static func create(
    bucketCount: Int, buckets: [Content] = [], in folder: borrowing Descriptor
  ) throws(SystemError) {
    let header = BucketFileHeader.bytes(Content.magic, bucketCount: bucketCount)
    try TemporaryFile.write(Content.fileName, in: folder) { (file) throws(SystemError) in
      try file.write(header)
      for bucket in buckets { try file.write(bucket.bytes, at: offset(of: bucket.number)) }
    }
  }

  /// Replaces the file by one with other buckets. `update` by another thread or process waits or does nothing meanwhile.
  /// Throws `ENOENT` if the file was removed or replaced before.
  func replace(
    bucketCount: Int, in folder: borrowing Descriptor,
    with buckets: () throws(SystemError) -> [Content]
  ) throws(SystemError) {
    let old = try folder.open(Content.fileName, flags: O_RDWR)
    old.lockWaiting()
    defer { old.unlock() }
    guard isInPlace(try old.status) else { throw SystemError(ENOENT) }
    try Self.create(bucketCount: bucketCount, buckets: try buckets(), in: folder)
  }

  var status: FileStatus { get throws(SystemError) { try file.status } }

  /// False if the file was removed, replaced or emptied.
  func isCurrent() throws(SystemError) -> Bool {
    let status = try file.status
    return status.linkCount > 0 && status.size >= BucketFileHeader.length
  }

  /// Returns true if `status` is that of this file, and the file was not removed or replaced. Another process may do that
  /// while a writer waits for the lock.
  private func isInPlace(_ status: FileStatus) -> Bool {
    status.identity.isSameFile(as: identity) && status.linkCount > 0
  }

  /// The number of bytes that the file takes on disk when all buckets are in use.
  var maximumBytes: Int { Self.offset(of: bucketCount) }

  private static func offset(of bucket: Int) -> Int { (bucket + 1) * Content.length }

  /// Reads a bucket; nil if the bucket is damaged. A bucket that another process is writing now is read once more.
  func bucket(_ number: Int) throws(SystemError) -> Content? {
    if let bucket = try Self.bucket(number, of: file) { return bucket }
    return try Self.bucket(number, of: file)
  }

  private static func bucket(
    _ number: Int, of file: borrowing Descriptor
  ) throws(SystemError) -> Content? {
    let bytes = try ResponseReader.bytes(of: file, at: offset(of: number), count: Content.length)
    return Content(bytes, number: number)
  }

  /// Changes a bucket while writers of other processes wait. `change` returns false if nothing is to be written. A
  /// damaged bucket counts as empty, and is written in any case. Throws `ENOENT` if the file was removed or replaced.
  ///
  /// If the lock is not to be had, two processes may write a bucket at the same time. One of the changes is lost then,
  /// which causes a miss.
  ///
  /// - Parameter waits: False to change nothing while another process holds the lock.
  func update(
    _ number: Int, in folder: borrowing Descriptor, waits: Bool = true,
    _ change: (inout Content) -> Bool
  ) throws(SystemError) {
    var writable = try folder.open(Content.fileName, flags: O_RDWR)
    if waits {
      writable.lockWaiting()
    } else if case .heldByAnother = writable.lock() {
      return
    }
    try update(number, in: writable, change)
    try writable.close()
  }

  /// Changes a bucket of the locked file, and releases the lock.
  private func update(
    _ number: Int, in writable: borrowing Descriptor, _ change: (inout Content) -> Bool
  ) throws(SystemError) {
    defer { writable.unlock() }
    let (offset, status) = (Self.offset(of: number), try writable.status)
    guard isInPlace(status) else { throw SystemError(ENOENT) }
    // A bucket that could not be read must not be replaced by an empty one.
    let bytes = try Self.bytes(of: writable, at: offset, count: Content.length, size: status.size)
    let known = Content(bytes, number: number)
    var bucket = known ?? Content(number)
    guard change(&bucket) || known == nil else { return }
    try writable.write(bucket.bytes, at: offset)
  }
}
