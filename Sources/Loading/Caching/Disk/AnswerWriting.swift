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

  /// Notes a new head at the end of a file that has this body already; false if there is none, or the file is to be
  /// written anew. A note that is cut short is as if it were not there.
  static func note(
    _ start: [UInt8], _ body: [UInt8], _ name: ContentHash, in shard: borrowing Descriptor, now: Int64
  ) throws(SystemError) -> (before: Int, after: Int)? {
    let file: Descriptor
    do throws(SystemError) {
      file = try Descriptor(name.hex, in: shard.number, flags: O_RDWR | O_APPEND)
    } catch {
      return nil
    }
    let status = try file.status()
    let length = Int(status.st_size)
    let note = AnswerFile.note(start)
    guard status.st_mode & S_IFMT == S_IFREG,
      let (first, frame) = try AnswerReading.start(of: file, length: length),
      let new = AnswerFile.Frame(start, fileLength: start.count + body.count),
      frame.bodyLength == new.bodyLength, frame.bodyHash == new.bodyHash,
      AnswerFile.read(first[AnswerFile.fixedLength..<frame.startLength])?.key
        == AnswerFile.read(start[AnswerFile.fixedLength...])?.key,
      length - frame.endOfBody + note.count <= AnswerFile.longestNotes
    else { return nil }
    let notes = try AnswerReading.bytes(of: file, at: frame.endOfBody, count: length - frame.endOfBody)
    guard AnswerFile.lastHead(notes[...]).isWhole else { return nil }
    try file.write(note)
    futimens(file.number, [timespec(tv_sec: Int(now), tv_nsec: 0), timespec(tv_sec: Int(now), tv_nsec: 0)])
    return (length, length + note.count)
  }
}
