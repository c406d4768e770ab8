import Glibc
import VitrineLoading

/// Writes response files. A file is complete when it gets its name.
enum ResponseWriter {
  /// Writes a file and returns the length of the replaced file in bytes; nil if no file was replaced.
  ///
  /// Does not wait until the file is on the disk (`fsync`): the hashes reveal a file that a power failure has torn.
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

  /// Appends a note with a new head to the file of an entry, provided that the file has this body. Returns the lengths
  /// of the file before and after; nil if the whole file must be written. Throws if the file cannot be opened or
  /// written. An incomplete note is ignored by readers.
  static func appendNote(
    _ start: [UInt8], _ body: [UInt8], _ entry: DiskEntry, in shard: borrowing Descriptor, now: Int64
  ) throws(SystemError) -> (before: Int, after: Int)? {
    let url = entry.identity.fullURL
    var file = try shard.open(entry.name.hex, flags: O_RDWR | O_APPEND)
    let status = try file.status
    let length = status.size
    let note = ResponseFile.note(start)
    guard status.isRegular,
      let (first, frame) = try ResponseReader.start(of: file, length: length),
      let new = ResponseFile.Frame(start, fileLength: start.count + body.count),
      frame.bodyLength == new.bodyLength, frame.bodyHash == new.bodyHash,
      ResponseFile.read(first[ResponseFile.fixedLength..<frame.startLength], requestURL: url)?.key
        == entry.key.bytes[...],
      length - frame.endOfBody + note.count <= ResponseFile.maximumNotesBytes
    else { return nil }
    let notes = try ResponseReader.bytes(of: file, at: frame.endOfBody, count: length - frame.endOfBody)
    guard ResponseFile.lastHead(notes[...]).isIntact else { return nil }
    try file.write(note)
    try? file.setTimes(FileTimes(used: now, stored: now))
    try file.close()
    return (length, length + note.count)
  }
}
