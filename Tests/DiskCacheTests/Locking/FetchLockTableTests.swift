import Foundation
import Glibc
import Testing
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Fetch locks of several caches on one folder, as in several processes.
@Suite(.timeLimit(.minutes(5))) struct FetchLockTableTests {
  private let fixture = DiskFixture()

  private func isAcquired(_ lock: FetchLock?) -> Bool { if case .acquired? = lock { true } else { false } }
  private func isHeld(_ lock: FetchLock?) -> Bool { if case .heldByAnother? = lock { true } else { false } }
  private func token(_ lock: FetchLock?) throws -> any FetchLockToken {
    guard case .acquired(let token, _)? = lock else { throw WaitFailure(location: "", reason: "no lock") }
    return token
  }

  @Test func oneOfTwoProcessesHasTheLock() throws {
    let (one, other) = (fixture.cache(), fixture.cache())
    let token = try token(one.fetchLock(for: identity(1)))
    #expect(isHeld(other.fetchLock(for: identity(1))))
    #expect(isAcquired(other.fetchLock(for: identity(2))), "other requests have locks of their own")
    #expect(other.fetchProgress(for: identity(1)) != nil && other.fetchProgress(for: identity(2)) == nil)
    #expect(one.fetchProgress(for: identity(1)) == nil, "the lock of this process is not that of another")

    token.release()

    #expect(other.fetchProgress(for: identity(1)) == nil)
    #expect(isAcquired(other.fetchLock(for: identity(1))))
  }

  @Test func lockIsReleasedWithTheToken() throws {
    let (one, other) = (fixture.cache(), fixture.cache())
    do {
      let token = try token(one.fetchLock(for: identity(1)))
      withExtendedLifetime(token) { #expect(isHeld(other.fetchLock(for: identity(1)))) }
    }
    #expect(isAcquired(other.fetchLock(for: identity(1))))
  }

  @Test func requestsOfOneProcessDoNotExcludeEachOther() throws {
    let (one, other) = (fixture.cache(), fixture.cache())
    let first = try token(one.fetchLock(for: identity(1)))
    let second = try token(one.fetchLock(for: identity(1)))
    first.release()
    first.release()
    #expect(isHeld(other.fetchLock(for: identity(1))))
    second.release()
    #expect(isAcquired(other.fetchLock(for: identity(1))))
  }

  @Test func progressIsVisibleToOtherProcesses() throws {
    let (one, other) = (fixture.cache(), fixture.cache())
    let token = try token(one.fetchLock(for: identity(1)))
    let neighbour = try self.token(one.fetchLock(for: identity(2)))
    var seen = [other.fetchProgress(for: identity(1))]
    for isWaiting in [true, true, false, false] {
      if isWaiting { token.noteWaiting() } else { token.noteProgress() }
      seen.append(other.fetchProgress(for: identity(1)))
    }
    #expect(seen.map { $0?.received } == [0, 0, 0, 1, 2])
    #expect(seen.map { $0?.waiting } == [0, 1, 2, 2, 2])
    let before = other.fetchProgress(for: identity(2))
    for _ in 0..<2000 { token.noteProgress() }
    for _ in 0..<100 { token.noteWaiting() }
    #expect(other.fetchProgress(for: identity(2)) == before, "progress does not reach other ranges")
    token.release()
    token.noteProgress()
    #expect(other.fetchProgress(for: identity(1)) == nil)
    #expect(isHeld(other.fetchLock(for: identity(2))))
    neighbour.release()
  }

  @Test func nothingOfARequestIsWritten() throws {
    let cache = fixture.cache()
    let secret = identity("a.jpg", headers: ["Authorization": "Bearer swordfish"])
    let token = try token(cache.fetchLock(for: secret))
    #expect(isHeld(fixture.cache().fetchLock(for: secret)), "processes agree on the range")
    let other = identity("a.jpg", headers: ["Authorization": "Bearer other"])
    #expect(isAcquired(fixture.cache().fetchLock(for: other)))
    let lockFile = "\(fixture.root)/\(FetchLockTable.fileName)"
    #expect(try Data(contentsOf: URL(filePath: lockFile)).isEmpty)
    let names = Set(fixture.everything.map { $0.split(separator: "/").last.map(String.init) ?? "" })
    #expect(names == [FetchLockTable.fileName, FolderKey.name])
    token.release()
  }

  @Test func timeOfTheStoredResponseIsReported() throws {
    let cache = fixture.cache()
    func seconds() -> Double? {
      guard case .acquired(_, let seconds)? = cache.fetchLock(for: identity(1)) else { return -1 }
      return seconds
    }
    #expect(seconds() == nil)
    cache.store(storedResponse(), for: identity(1))
    #expect(seconds() == 0)
    fixture.advance(by: 100)
    #expect(seconds() == 100)
    // The clock was wrong when the response was stored.
    fixture.advance(by: -1_000_000)
    #expect(seconds() == 0)
  }

  @Test func fileIsClosedWithTheLastLock() throws {
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    let first = try token(cache.fetchLock(for: identity(1)))
    let openCount = system.openCount
    let second = try token(cache.fetchLock(for: identity(2)))
    #expect(openCount > 0 && system.openCount == openCount)
    first.release()
    #expect(system.openCount == openCount)
    second.release()
    #expect(system.openCount == 0)
    _ = cache.fetchProgress(for: identity(1))
    #expect(system.openCount == 0)
  }

  @Test func thereIsNoLockWhileNothingCanBeWritten() {
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    system.fail(.write, with: .error(EROFS))
    #expect(!cache.store(storedResponse(), for: identity(1)))
    #expect(cache.fetchLock(for: identity(1)) == nil, "writing pauses")
    #expect(fixture.cache(nil) { $0.bytes = 0 }.fetchLock(for: identity(1)) == nil)
  }

  @Test(
    "whichever call fails, there is no lock or a good one, and no descriptor leaks",
    arguments: [EIO, ENOSPC, EROFS, EACCES, EMFILE, EINTR, ENOLCK, EINVAL, EOPNOTSUPP])
  func failingCallsLeadToNoLock(error: Int32) throws {
    for call in FaultySystem.Call.allCases {
      for number in FaultySystem.always...12 {
        // A call that is interrupted is repeated for ever.
        if error == EINTR, number == FaultySystem.always { continue }
        let (fixture, system) = (DiskFixture(), FaultySystem())
        let cache = fixture.cache(on: system)
        system.fail(call, number: number, with: .error(error))
        let note: Comment = "\(call.rawValue) number \(number)"
        if case .acquired(let token, _)? = cache.fetchLock(for: identity(1)) {
          #expect(isHeld(fixture.cache().fetchLock(for: identity(1))), note)
          token.noteProgress()
          _ = cache.fetchProgress(for: identity(1))
          token.release()
        }
        #expect(system.openCount == 0, note)
        // Closing the file has released the lock even if unlocking failed.
        #expect(isAcquired(fixture.cache().fetchLock(for: identity(1))), note)
        if !system.hasFailed, number != FaultySystem.always { break }
      }
    }
  }

  @Test(
    "links and folders in place of the file of locks, and foreign folders, lead to no lock",
    arguments: ["link", "folder", "file"])
  func foreignFilesLeadToNoLock(kind: String) throws {
    let path = "\(fixture.root)/\(FetchLockTable.fileName)"
    fixture.cache().store(storedResponse(), for: identity(1))
    switch kind {
    case "link": #expect(symlink("\(fixture.folder)/elsewhere", path) == 0)
    case "folder": #expect(mkdir(path, 0o700) == 0)
    default:
      try FileManager.default.removeItem(atPath: fixture.root)
      try Data().write(to: URL(filePath: fixture.root))
    }
    #expect(fixture.cache().fetchLock(for: identity(1)) == nil)
    #expect(!FileManager.default.fileExists(atPath: "\(fixture.folder)/elsewhere"))
  }

  @Test func removalOfEverythingKeepsTheLocks() throws {
    let (one, other) = (fixture.cache(), fixture.cache())
    one.store(storedResponse(), for: identity(2))
    let token = try token(one.fetchLock(for: identity(1)))
    other.removeAllResponses()
    #expect(isHeld(other.fetchLock(for: identity(1))))
    token.release()
    #expect(isAcquired(other.fetchLock(for: identity(1))))
  }

  @Test func movedDirectoryIsRemovedWithItsLocks() throws {
    let old = "\(fixture.folder)/old"
    let cache = fixture.cache(old)
    cache.store(storedResponse(), for: identity(1))
    try token(cache.fetchLock(for: identity(1))).release()
    #expect(fixture.cache().moveEntries(from: old) == 1)
    #expect(!FileManager.default.fileExists(atPath: old))
  }

  @Test func concurrentUseOfOneCacheLeavesNoLock() async throws {
    let (cache, other) = (fixture.cache(), fixture.cache())
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for number in 0..<200 {
            if case .acquired(let token, _)? = cache.fetchLock(for: identity(number % 5)) {
              token.noteProgress()
              token.release()
            }
          }
        }
      }
    }
    for number in 0..<5 { #expect(isAcquired(other.fetchLock(for: identity(number)))) }
  }
}
