import Glibc
import Synchronization
import VitrineConcurrency
import VitrineLoading

/// The heads of responses that were looked up for their pixels, in one file, `FOLDER/v3/heads`, so that a screen of
/// images is found in the pixel cache without opening the file of each response.
///
/// An entry is used only if the file of the response still has the version that the entry states
/// (`HeadEntry.Version`). One call of `fstatat` checks that, without opening the file. On a network file system, a
/// change by another machine may be noticed up to a minute later, because the system caches the status of files. A
/// table that is damaged or missing costs time and loses nothing.
///
/// The table begins small, so that a cold disk has few pages to read, and is doubled when a bucket is full. At its
/// largest size, it has room for about one head for each 8 KiB of the limit of the cache; other heads are read from
/// their files. Only the owner of a folder uses the table.
final class HeadTable: Sendable {
  /// The minimum number of seconds between two writes of the head of one body, so that images that their servers confirm
  /// every few minutes do not wear out flash memory.
  static let renewalInterval: Int64 = 3600
  /// The number of seconds without writes after one has failed.
  private static let pauseSeconds = 60.0
  private static let smallestBucketCount = 16

  private let folder: CacheFolder
  private let clock: any LoadingClock
  private let opened = Mutex<BucketFile<HeadBucket>?>(nil)
  /// The time in nanoseconds until which nothing is written.
  private let pauseEnd = Mutex<Int64?>(nil)

  init(folder: CacheFolder, clock: any LoadingClock) {
    self.folder = folder
    self.clock = clock
  }

  /// Returns the recorded head of a response; nil if there is none, or if the table was not opened yet. Reads one bucket
  /// and opens no file.
  func head(of name: ContentHash) -> HeadEntry? {
    guard folder.access == .owner, let file = opened.withLock({ $0 }) else { return nil }
    return (try? file.bucket(name.bucket(among: file.bucketCount)))?.entry(name)
  }

  /// Returns true if a recorded head is old enough to be replaced by a newer head of the same body.
  ///
  /// - Parameter time: The wall-clock time in seconds since 1970.
  static func mayRenew(_ entry: HeadEntry, at time: Int64) -> Bool {
    let age = time.subtractingReportingOverflow(entry.version.modified / 1_000_000_000).partialValue
    // A time far in the future comes from a wrong clock.
    return age.magnitude >= renewalInterval.magnitude
  }

  // MARK: Recording

  /// Opens the table for later lookups, if it exists. Returns true if `record` would write the head. Writes nothing.
  ///
  /// - Parameters: See `record`.
  func lacks(_ entry: HeadEntry, in root: borrowing Descriptor, byteLimit: Int, time: Int64) -> Bool {
    guard folder.access == .owner else { return false }
    let file = try? openFile(in: root, creating: false)
    guard mayRecord(entry, at: clock.now) else { return false }
    // A damaged bucket is written again.
    guard let file, var bucket = try? file.bucket(entry.name.bucket(among: file.bucketCount)) else {
      return true
    }
    return Self.needs(entry, bucket, at: time)
      && (bucket.insert(entry) || file.bucketCount < Self.largestBucketCount(byteLimit: byteLimit))
  }

  private func mayRecord(_ entry: HeadEntry, at now: Int64) -> Bool {
    entry.head.count <= HeadEntry.maximumHeadBytes && pauseEnd.withLock { $0.map { now >= $0 } ?? true }
  }

  /// Returns true if a bucket does not have the head, and has no head of the same body that is too new to be replaced.
  private static func needs(_ entry: HeadEntry, _ bucket: HeadBucket, at time: Int64) -> Bool {
    guard let old = bucket.entry(entry.name) else { return true }
    return old != entry && (old.bodyHash != entry.bodyHash || mayRenew(old, at: time))
  }

  /// Opens the table for later lookups, and records a head, unless it is recorded already or another head of its body was
  /// recorded less than `renewalInterval` ago. Returns true if the head was written.
  ///
  /// - Parameters:
  ///   - root: The folder `v3`.
  ///   - byteLimit: The limit of the cache, which limits the size of the table.
  ///   - time: The wall-clock time in seconds since 1970.
  func record(_ entry: HeadEntry, in root: borrowing Descriptor, byteLimit: Int, time: Int64) -> Bool {
    guard folder.access == .owner else { return false }
    let now = clock.now
    let mayRecord = mayRecord(entry, at: now)
    do throws(SystemError) {
      guard let file = try openFile(in: root, creating: mayRecord), mayRecord else { return false }
      let number = entry.name.bucket(among: file.bucketCount)
      var bucket = try file.bucket(number) ?? HeadBucket(number)
      guard Self.needs(entry, bucket, at: time) else { return false }
      if bucket.insert(entry) { return try insert(entry, in: root, file) }
      guard try grow(file, in: root, byteLimit: byteLimit),
        let larger = try openFile(in: root, creating: false)
      else { return false }
      return try insert(entry, in: root, larger)
    } catch {
      // Another process has replaced the table. The next lookup opens it again.
      if error.code == ENOENT {
        close()
      } else {
        pauseEnd.withLock { $0 = now.advanced(bySeconds: Self.pauseSeconds) }
      }
      return false
    }
  }

  /// Returns false if another process is writing, or the bucket has no room.
  private func insert(
    _ entry: HeadEntry, in root: borrowing Descriptor, _ file: BucketFile<HeadBucket>
  ) throws(SystemError) -> Bool {
    var isInserted = false
    try file.update(entry.name.bucket(among: file.bucketCount), in: root, waits: false) { bucket in
      isInserted = bucket.insert(entry)
      return isInserted
    }
    return isInserted
  }

  /// Doubles the number of buckets. Returns false at the largest size.
  private func grow(
    _ file: BucketFile<HeadBucket>, in root: borrowing Descriptor, byteLimit: Int
  ) throws(SystemError) -> Bool {
    let count = file.bucketCount * 2
    guard count <= Self.largestBucketCount(byteLimit: byteLimit) else { return false }
    try file.replace(bucketCount: count, in: root) { () throws(SystemError) in
      var entries: [HeadEntry] = []
      for number in 0..<file.bucketCount { entries += try file.bucket(number)?.entries ?? [] }
      return HeadBucket.distributing(entries, among: count)
    }
    return true
  }

  /// Returns the number of buckets of the largest table: a bucket of eight heads or more for each 64 KiB of the cache.
  private static func largestBucketCount(byteLimit: Int) -> Int {
    let limit = max(0, byteLimit)
    return BucketFileHeader.bucketCount(forBytes: limit > .max / 8 ? .max : limit * 8)
  }

  // MARK: Removing

  /// Removes the heads of responses that were removed. Reads one bucket for each.
  func remove(_ names: [ContentHash]) {
    guard !names.isEmpty, !folder.isReadOnly, let root = try? folder.open(creating: false) else { return }
    for name in names {
      do throws(SystemError) {
        try remove(name, in: root, waits: names.count == 1)
      } catch {
        // Another thread or process may have replaced the table. A head that stays
        // is not used, because the file of its response is gone.
        close()
        try? remove(name, in: root, waits: names.count == 1)
      }
    }
  }

  /// - Parameter waits: False to leave the entry while another process writes.
  private func remove(
    _ name: ContentHash, in root: borrowing Descriptor, waits: Bool
  ) throws(SystemError) {
    guard let file = try openFile(in: root, creating: false) else { return }
    let number = name.bucket(among: file.bucketCount)
    // A damaged bucket may have the entry, and is emptied.
    if let bucket = try file.bucket(number), bucket.entry(name) == nil { return }
    try file.update(number, in: root, waits: waits) { $0.remove(name) }
  }

  /// Removes the table, which may be open in other processes.
  static func remove(in root: borrowing Descriptor) {
    try? root.open(HeadBucket.fileName, flags: O_WRONLY).truncate(to: 0)
    try? root.remove(HeadBucket.fileName)
  }

  /// Closes the table until it is needed again.
  func close() { opened.replaceValue(with: nil) }

  /// Returns the open table. Opens it again if it was removed.
  private func openFile(
    in root: borrowing Descriptor, creating: Bool
  ) throws(SystemError) -> BucketFile<HeadBucket>? {
    if let known = opened.withLock({ $0 }) {
      // On a network file system, the status of a file that another machine has removed cannot be read.
      if (try? known.isCurrent()) == true { return known }
      close()
    }
    var file = try BucketFile<HeadBucket>.open(in: root)
    if file == nil, creating {
      try BucketFile<HeadBucket>.create(bucketCount: Self.smallestBucketCount, in: root)
      file = try BucketFile<HeadBucket>.open(in: root)
    }
    opened.replaceValue(with: file)
    return file
  }
}
