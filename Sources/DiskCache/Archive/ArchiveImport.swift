import Glibc
import Synchronization
import VitrineConcurrency
import VitrineLoading

/// Reads an archive into a cache folder. Each response is verified and then stored under its name at once, so that an
/// interrupted import leaves only whole responses, and a damaged archive loses only what is damaged. Nothing is evicted:
/// a response that exceeds the limits of the folder is left out.
struct ArchiveImport: ~Copyable {
  /// The maximum number of temporary names that are tried for a file.
  private static let maximumAttempts = 8

  private let context: CacheContext
  private let trimmer: Trimmer
  private let progress: (_ summary: DiskImageCache.ImportSummary) -> Bool
  private var reader: ArchiveReader
  private var summary = DiskImageCache.ImportSummary()
  /// True if the archive comes from this folder, whose key recognizes private responses.
  private var isOwnArchive = false
  /// The number of responses that the ends of archives state; a stream may contain several archives.
  private var stated = 0

  /// - Parameters:
  ///   - read: Returns the next bytes of the archive, at most this many; none at the end.
  ///   - progress: Called after each response and each part. Returns false to stop.
  init(
    context: CacheContext, trimmer: Trimmer,
    read: @escaping (_ count: Int) throws(ArchiveError) -> [UInt8],
    progress: @escaping (_ summary: DiskImageCache.ImportSummary) -> Bool
  ) {
    self.context = context
    self.trimmer = trimmer
    self.progress = progress
    reader = ArchiveReader(read)
  }

  consuming func run() -> DiskImageCache.ImportSummary {
    do throws(ArchiveError) {
      guard let first = try reader.next() else { throw .notAnArchive }
      reader.giveBack(first)
      guard
        let root = try ArchiveError.folder({ () throws(DiskImageCache.Fault) in
          try context.open(creating: true)
        })
      else { throw .folder(.refused(path: context.folder.path, code: ENOENT)) }
      trimmer.measure()
      try readBlocks(into: root)
    } catch {
      summary.failure = error
    }
    if reader.hasDamage { summary.hasDamage = true }
    return summary
  }

  private mutating func readBlocks(into root: borrowing Descriptor) throws(ArchiveError) {
    while let block = try reader.next() {
      if let start = block.start {
        try begin(start, root)
      } else if let file = block.file {
        try add(file, to: root)
        guard progress(summary) else { throw .cancelled }
      } else if let count = block.end {
        summary.isComplete = true
        stated = stated.addingSaturated(count)
        // The blocks of whole responses are missing.
        if summary.visited < stated { summary.hasDamage = true }
      } else {
        // A part whose file was not readable, or a malformed block.
        summary.hasDamage = true
      }
    }
  }

  private mutating func begin(_ start: ArchiveBlock.Start, _ root: borrowing Descriptor) throws(ArchiveError)
  {
    summary.total = (summary.total ?? 0).addingSaturated(start.count)
    let key = try ArchiveError.folder { () throws(DiskImageCache.Fault) in
      try context.folder.key(of: root)
    }
    isOwnArchive = key.map { ArchiveFingerprint.of($0) == start.fingerprint } ?? false
  }

  // MARK: Files

  private mutating func add(_ file: ArchiveBlock.File, to root: borrowing Descriptor) throws(ArchiveError) {
    let bytes = FileStatus.allocatedBytes(for: file.length)
    guard bytes <= context.limits.bytes else {
      summary.tooLarge += 1
      return try skipParts(of: file)
    }
    if let space = root.space,
      DiskFloor(limits: context.limits, space: space)
        .missing(after: .init(bytes: bytes, files: 2)).isAny
    {
      throw .folder(.diskIsFull(path: context.folder.path))
    }
    let shard = try ArchiveError.folder { () throws(DiskImageCache.Fault) in
      try context.folder.openShard(named: Shard.name(of: file.name.hex), in: root, creating: true)
    }
    guard let shard else { throw .folder(.refused(path: context.folder.path, code: ENOENT)) }
    var failure: ArchiveError?
    do throws(SystemError) {
      failure = try store(file, in: shard)
    } catch {
      throw .folder(.refused(path: context.folder.path, code: error.code))
    }
    if let failure { throw failure }
  }

  /// Reads the parts of a file that is not stored.
  private mutating func skipParts(of file: ArchiveBlock.File) throws(ArchiveError) {
    var length = 0
    while length < file.length, let part = try nextPart(at: length) { length += part.count }
  }

  /// Returns the next part of a file; nil if the archive has something else there.
  private mutating func nextPart(at offset: Int) throws(ArchiveError) -> [UInt8]? {
    guard let block = try reader.next() else { return nil }
    guard let part = block.part(at: offset) else {
      reader.giveBack(block)
      return nil
    }
    return Array(part)
  }

  /// Writes a file under a temporary name and verifies the file before it gets its name. Returns the error of the
  /// archive that has ended the import; nil if the import goes on.
  private mutating func store(
    _ file: ArchiveBlock.File, in shard: borrowing Descriptor
  ) throws(SystemError) -> ArchiveError? {
    var temporary = TemporaryFile.uniqueName()
    var target = try shard.open(temporary, flags: O_RDWR | O_CREAT | O_EXCL)
    var attempts = 1
    while !Self.isLocked(target), attempts < Self.maximumAttempts {
      attempts += 1
      temporary = TemporaryFile.uniqueName()
      target = try shard.open(temporary, flags: O_RDWR | O_CREAT | O_EXCL)
    }
    var isPublished = false
    defer { if !isPublished { try? shard.remove(temporary) } }
    do throws(ArchiveError) {
      guard try copy(file, to: target) else {
        summary.damaged += 1
        return nil
      }
    } catch {
      return error
    }
    guard let content = try EntryReader.content(of: target, withBody: true),
      context.folder.name(of: content.key.bytes) == file.name
    else {
      summary.damaged += 1
      return nil
    }
    let known = EntryReader.read(file.name.hex, in: shard, withBody: false)
    switch ImportDecision(content, isOwnArchive: isOwnArchive, known: known) {
    case .isKnown: summary.known += 1
    case .isPrivate: summary.isPrivate += 1
    case .store:
      let replaced = (try? shard.status(of: file.name.hex)).map(\.size)
      guard context.state.withLock({ $0.hasRoom(for: file.length, replacing: replaced) }) else {
        summary.noRoom += 1
        return nil
      }
      try? target.setTimes(FileTimes(used: file.used, stored: file.stored))
      // See `TemporaryFile.write`.
      let isStillOpen = try target.closeDuplicate()
      if !isStillOpen { try target.close() }
      try TemporaryFile.publish(temporary, as: file.name.hex, in: shard)
      isPublished = true
      if isStillOpen { try? target.close() }
      summary.imported += 1
      summary.bytes = summary.bytes.addingSaturated(file.length)
      let now = context.clock.now
      context.state.withLock { $0.stored(file.name, length: file.length, replacing: replaced, at: now) }
    }
    return nil
  }

  /// Locks a new file, which tells a sweep that the writer is alive. Returns false if a sweep has come first and removes
  /// the file.
  private static func isLocked(_ file: borrowing Descriptor) -> Bool {
    if case .heldByAnother = file.lock() { return false }
    return (try? file.status)?.linkCount != 0
  }

  /// Writes the parts of a file. Returns false if parts are missing.
  private mutating func copy(
    _ file: ArchiveBlock.File, to target: borrowing Descriptor
  ) throws(ArchiveError) -> Bool {
    var length = 0
    while length < file.length {
      guard let part = try nextPart(at: length), part.count <= file.length - length else { return false }
      do throws(SystemError) {
        try target.write(part)
      } catch {
        throw .folder(.refused(path: context.folder.path, code: error.code))
      }
      length += part.count
      guard progress(summary) else { throw .cancelled }
    }
    return true
  }
}

/// The decision what becomes of an undamaged response of an archive.
enum ImportDecision: Hashable {
  case store
  /// The folder has this response, or a newer one.
  case isKnown
  /// The response belongs to a request whose cookie or login only another folder recognizes. It would never be found.
  case isPrivate

  init(_ content: DiskImageCache.Entry.Content, isOwnArchive: Bool, known: EntryReader.Result) {
    if !isOwnArchive, content.isPrivate || !content.response.varying.isEmpty {
      self = .isPrivate
    } else if case .content(let known) = known, known.response.received >= content.response.received {
      self = .isKnown
    } else {
      self = .store
    }
  }
}
