import Glibc
import Synchronization
import VitrineConcurrency
import VitrineGraphics
import VitrineLoading

/// Stores pixels within the limits, and evicts others for them.
struct PixelStore {
  enum Outcome {
    /// The pixels are stored, now or already before.
    case stored
    /// The image exceeds a limit, there is no room, or writing pauses.
    case refused
    case failed
  }

  /// The maximum number of attempts if the folder is removed during each attempt.
  private static let maximumAttempts = 8

  let context: PixelContext

  /// The image to store, with its key.
  private struct Request {
    let image: Image
    let isAnimated: Bool
    let key: PixelKey
    let body: BodyDigest
    let pixelHash: ContentHash
    /// The bytes of the header and the pixels.
    let length: Int
  }

  func store(_ image: Image, isAnimated: Bool, for key: PixelKey, of body: BodyDigest) -> Outcome {
    let (bitmap, limits, now) = (image.bitmap, context.limits, context.clock.now)
    let length = bitmap.byteCount.addingSaturated(
      PixelRecord.headerLength(hasMetadata: image.metadata != nil))
    // An application's own data have no place in a record, and without them it would be another image.
    guard !image.isPreview, image.userData.isEmpty, length <= limits.maximumRecordBytes,
      !context.state.withLock({ $0.isPaused(for: length, at: now) })
    else { return .refused }
    let request = Request(
      image: image, isAnimated: isAnimated, key: key, body: body,
      pixelHash: bitmap.withUnsafeBytes { ContentHash($0) }, length: length)
    do throws(DiskImageCache.Fault) {
      return try context.writing.withLock { (pack) throws(DiskImageCache.Fault) -> Outcome in
        try write(request, &pack)
      }
    } catch {
      context.writeFailed(error)
      return .failed
    }
  }

  private func write(
    _ request: Request, _ pack: inout ActivePack?
  ) throws(DiskImageCache.Fault) -> Outcome {
    // Another thread or process may remove the folder during the call, even several times. It is created again.
    for _ in 1..<Self.maximumAttempts {
      do throws(DiskImageCache.Fault) {
        return try writeOnce(request, &pack)
      } catch {
        pack = nil
        guard error.isMissing else { throw error }
      }
    }
    return try writeOnce(request, &pack)
  }

  private func writeOnce(
    _ request: Request, _ pack: inout ActivePack?
  ) throws(DiskImageCache.Fault) -> Outcome {
    guard let files = try context.files(creating: true),
      let name = try context.name(
        of: request.key.identity, variant: request.key.variant, family: request.key.family, in: files,
        creating: true),
      let record = PixelRecord(
        request.image, isAnimated: request.isAnimated, keyDigest: name.digest, body: request.body,
        pixelHash: request.pixelHash)
    else { return .refused }
    let bucket = try context.system { () throws(SystemError) in
      try files.index.bucket(name.bucket(of: files.index.bucketCount))
    }
    if let entry = bucket?.entry(of: name, request.body) {
      let isStored = try context.system { () throws(SystemError) in try files.hasRecord(of: entry) }
      // Nothing is written.
      if isStored { return .stored }
    }
    let room = PixelRoom(context: context)
    guard let place = room.place(for: name, in: bucket),
      try room.make(for: request.length, active: pack?.number, in: files),
      room.take(place, for: request.length)
    else { return .refused }
    do throws(SystemError) {
      try add(record, request, name, replacing: place.victim, &pack, in: files)
    } catch {
      throw .refused(path: context.folder.path, code: error.code)
    }
    return .stored
  }

  /// Adds a record to a pack and then its entry to the index, so that a process that is killed in between leaves bytes
  /// that no entry leads to.
  private func add(
    _ record: PixelRecord, _ request: Request, _ name: PixelName, replacing victim: PixelEntry?,
    _ active: inout ActivePack?, in files: PixelFiles
  ) throws(SystemError) {
    let (time, now) = (context.time, context.clock.now)
    let isSingle = request.image.bitmap.byteCount > context.limits.maximumPackedBytes
    let pack =
      isSingle
      ? try ActivePack.create(isSingle: true, time: time, in: files.folder)
      : try activePack(for: request.length, &active, time: time, in: files)
    do throws(SystemError) {
      let recordedUse = try add(record, request, name, replacing: victim, to: pack, in: files)
      let isStamped = context.state.withLock {
        $0.stored(pack.number, length: request.length, recorded: recordedUse, time: time, at: now)
      }
      if isStamped { pack.stamp(time) }
      if isSingle { pack.unlock() }
    } catch {
      if isSingle { _ = PixelSweep.remove(pack.number, in: files.folder, evenIfLocked: true) }
      throw error
    }
  }

  /// Adds a record to `pack` and its entry to the index. Returns the last use that the file of the pack records.
  private func add(
    _ record: PixelRecord, _ request: Request, _ name: PixelName, replacing victim: PixelEntry?,
    to pack: ActivePack, in files: PixelFiles
  ) throws(SystemError) -> Int64 {
    let (offset, recordedUse) = try pack.append(record.bytes, request.image.bitmap)
    do throws(SystemError) {
      guard let entry = PixelEntry(record, name, pack: pack.number, offset: offset) else {
        throw SystemError(EFBIG)
      }
      var replaced: [PixelEntry] = []
      try files.index.update(name.bucket(of: files.index.bucketCount), in: files.folder) { bucket in
        replaced = bucket.insert(entry, replacing: victim)
        return true
      }
      // The record of a pack that was removed is gone already.
      for entry in replaced { try? files.erase(entry) }
      return recordedUse
    } catch {
      pack.shorten(to: offset)
      throw error
    }
  }

  private func activePack(
    for length: Int, _ active: inout ActivePack?, time: Int64, in files: PixelFiles
  ) throws(SystemError) -> ActivePack {
    let packBytes = context.limits.packBytes
    if let pack = active, try pack.hasRoom(for: length, packBytes: packBytes) { return pack }
    // Its lock is released, so that another process may fill the pack with smaller images.
    active = nil
    let packs = context.state.withLock { $0.usage.packs }
    let pack = try ActivePack.open(
      for: length, packBytes: packBytes, among: packs, time: time, in: files)
    active = pack
    return pack
  }
}

extension PixelEntry {
  /// Creates the entry of a record; nil if the position does not fit.
  init?(_ record: PixelRecord, _ name: PixelName, pack: UInt32, offset: Int) {
    guard let offset = UInt32(exactly: offset), let width = UInt32(exactly: record.width),
      let height = UInt32(exactly: record.height), height < Self.metadataBit
    else { return nil }
    self.init(
      keyTag: name.keyTag, identityTag: name.identityTag, bodyTag: PixelName.bodyTag(of: record.body),
      pack: pack, offset: offset, width: width, height: height, hasMetadata: record.metadata != nil)
  }
}
