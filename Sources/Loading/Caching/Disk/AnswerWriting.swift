import Glibc

/// Writes one file, which is there whole or not at all.
enum AnswerWriting {
  /// Bytes of the file that was replaced; nil if there was none.
  ///
  /// Nothing waits until it is on the disk (`fsync`): what a power cut tears is found by its checksum.
  static func write(
    _ start: [UInt8], _ body: [UInt8], _ name: ContentHash, in shard: borrowing Descriptor, now: Int64
  ) throws(SystemError) -> Int? {
    let temporary = CacheFolder.temporaryName()
    var file = try shard.open(temporary, flags: O_WRONLY | O_CREAT | O_EXCL)
    do throws(SystemError) {
      // The lock tells a sweep that the writer is alive.
      _ = file.lock()
      try file.write(start)
      try file.write(body)
      // The age of a response is computed from this time. On a file system without file times the response is kept
      // nevertheless.
      try? file.setTimes(FileTimes(used: now, stored: now))
      let replaced = (try? shard.status(of: name.hex)).map(\.size)
      // The file is closed before it is renamed, because some file systems report a failed write only on close. Closing
      // also releases the lock, and a sweep may remove the file before the rename; the rename then fails and the file
      // is written once more.
      try file.close()
      try shard.rename(temporary, to: name.hex)
      return replaced
    } catch {
      try? shard.remove(temporary)
      throw error
    }
  }

  /// Notes a new head at the end of a file that has this body already; false if there is none, or the file is to be
  /// written anew. A note that is cut short is as if it were not there.
  static func note(
    _ start: [UInt8], _ body: [UInt8], _ entry: DiskEntry, in shard: borrowing Descriptor, now: Int64
  ) throws(SystemError) -> (before: Int, after: Int)? {
    let url = entry.identity.fullURL
    var file = try shard.open(entry.name.hex, flags: O_RDWR | O_APPEND)
    let status = try file.status
    let length = status.size
    let note = AnswerFile.note(start)
    guard status.isRegular,
      let (first, frame) = try AnswerReading.start(of: file, length: length),
      let new = AnswerFile.Frame(start, fileLength: start.count + body.count),
      frame.bodyLength == new.bodyLength, frame.bodyHash == new.bodyHash,
      AnswerFile.read(first[AnswerFile.fixedLength..<frame.startLength], ownURL: url)?.key
        == entry.key.bytes[...],
      length - frame.endOfBody + note.count <= AnswerFile.longestNotes
    else { return nil }
    let notes = try AnswerReading.bytes(of: file, at: frame.endOfBody, count: length - frame.endOfBody)
    guard AnswerFile.lastHead(notes[...]).isWhole else { return nil }
    try file.write(note)
    try? file.setTimes(FileTimes(used: now, stored: now))
    try file.close()
    return (length, length + note.count)
  }
}
