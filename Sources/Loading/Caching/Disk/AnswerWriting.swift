import Glibc

/// Writes one file, which is there whole or not at all.
enum AnswerWriting {
  /// Bytes of the file that was replaced; nil if there was none.
  ///
  /// Nothing waits until it is on the disk (`fsync`): what a power cut tears is found by its checksum.
  static func write(
    _ start: [UInt8], _ body: [UInt8], _ name: ContentHash, in shard: borrowing Descriptor, now: Int64
  ) throws(SystemError) -> Int? {
    let temporary = CacheFolder.temporary + String(UInt64.random(in: 0 ... .max), radix: 36)
    do throws(SystemError) {
      let file = try Descriptor(temporary, in: shard.number, flags: O_WRONLY | O_CREAT | O_EXCL)
      try file.write(start)
      try file.write(body)
      // By the clock that its age is told by.
      let times = [timespec(tv_sec: Int(now), tv_nsec: 0), timespec(tv_sec: Int(now), tv_nsec: 0)]
      futimens(file.number, times)
      var status = stat()
      let wasThere = fstatat(shard.number, name.hex, &status, AT_SYMLINK_NOFOLLOW) == 0
      guard renameat(shard.number, temporary, shard.number, name.hex) == 0 else { throw .last }
      return wasThere ? Int(status.st_size) : nil
    } catch {
      if error.code != EEXIST { unlinkat(shard.number, temporary, 0) }
      throw error
    }
  }
}
