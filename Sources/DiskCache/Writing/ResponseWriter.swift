import Glibc
import VitrineLoading

/// Writes response files. A file is complete when it gets its name.
enum ResponseWriter {
  /// Writes a file and returns the length of the replaced file in bytes; nil if no file was replaced.
  ///
  /// Does not wait until the file is on the disk (`fsync`): the hashes reveal a file that a power failure has torn.
  static func write(
    _ start: [UInt8], _ body: [UInt8], _ name: ContentHash, in shard: borrowing Descriptor, time: Int64
  ) throws(SystemError) -> Int? {
    var replaced: Int?
    // If a sweep removes the temporary file, as on a file system without locks, the response is written once more.
    try TemporaryFile.write(name.hex, in: shard) { (file) throws(SystemError) in
      try file.write(start)
      try file.write(body)
      // The age of a response is computed from this time. On a file system without file times the response is kept
      // nevertheless.
      try? file.setTimes(FileTimes(used: time, stored: time))
      replaced = (try? shard.status(of: name.hex)).map(\.size)
    }
    return replaced
  }

  /// Appends a note with a new head to the file of an entry, provided that the file has the body that `start`
  /// describes. Returns the lengths of the file before and after; nil if the whole file must be written. Throws if
  /// the file cannot be opened or written. An incomplete note is ignored by readers.
  static func appendNote(
    _ start: [UInt8], bodyLength: Int, _ entry: DiskEntry, in shard: borrowing Descriptor, time: Int64
  ) throws(SystemError) -> (before: Int, after: Int)? {
    let url = entry.identity.fullURL
    var file = try shard.open(entry.name.hex, flags: O_RDWR | O_APPEND)
    let status = try file.status
    let length = status.size
    let note = ResponseFile.note(start)
    guard status.isRegular,
      let (first, frame) = try ResponseReader.start(of: file, length: length),
      let new = ResponseFile.Frame(start, fileLength: start.count.addingSaturated(bodyLength)),
      frame.bodyLength == new.bodyLength, frame.bodyHash == new.bodyHash,
      ResponseFile.read(first[ResponseFile.fixedLength..<frame.startLength], requestURL: url)?.key
        == entry.key.bytes[...],
      length - frame.endOfBody + note.count <= ResponseFile.maximumNotesBytes
    else { return nil }
    let notes = try ResponseReader.bytes(of: file, at: frame.endOfBody, count: length - frame.endOfBody)
    guard ResponseFile.lastHead(notes[...]).isIntact else { return nil }
    try file.write(note)
    try? file.setTimes(FileTimes(used: time, stored: time))
    try file.close()
    return (length, length + note.count)
  }
}
