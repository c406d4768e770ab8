import Callbacks
import Foundation
import Glibc
import Testing
import VitrineConcurrency
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Each system call of each operation fails once.
@Suite(.timeLimit(.minutes(5))) struct DiskCallFaultTests {
  /// The operations on a cache with the responses 1, 2 and 3, and one response of a private request.
  enum Operation: String, CaseIterable {
    case lookUp, lookUpSecret, contain, use, store, storeFirst, storeVarying, replace, note, remove,
      removeAll, removeAllWithProgress, trim, measure, move, moveAcrossFileSystems

    /// True if the responses are in another directory at first.
    var isMove: Bool { [.move, .moveAcrossFileSystems].contains(self) }
    var removesAll: Bool { [.removeAll, .removeAllWithProgress].contains(self) }
  }

  static let secret = identity("secret.jpg", headers: ["Cookie": "session=1"])
  private static let other = storedResponse(6000, seed: 9)

  private static var later: StoredResponse {
    var later = storedResponse(5000, seed: 1)
    later.received += 60
    return later
  }

  private static var varying: StoredResponse {
    var varying = storedResponse(5000, headers: ["Vary": "X-Theme"])
    varying.varying = [.init(name: "x-theme", value: "dark")]
    return varying
  }

  private static func oldDirectory(_ fixture: DiskFixture) -> String { "\(fixture.folder)/old" }

  private static func makeSystem(for operation: Operation) -> FaultySystem {
    let system = FaultySystem()
    if operation == .moveAcrossFileSystems { system.separateFolders() }
    return system
  }

  /// Returns a folder with the responses.
  private static func filled(_ operation: Operation) -> DiskFixture {
    let fixture = DiskFixture()
    guard operation != .storeFirst else { return fixture }
    let cache = fixture.cache(operation.isMove ? oldDirectory(fixture) : nil)
    for number in 1...3 { cache.store(storedResponse(5000, seed: UInt8(number)), for: identity(number)) }
    // Without the private response the folder has no key.
    if operation != .storeVarying { cache.store(storedResponse(5000, seed: 4), for: secret) }
    return fixture
  }

  private static func perform(_ operation: Operation, _ cache: DiskImageCache, _ fixture: DiskFixture) {
    switch operation {
    case .lookUp: lookUp(cache, identity(1), seed: 1)
    case .lookUpSecret: lookUp(cache, secret, seed: 4)
    case .contain: _ = cache.containsResponse(for: identity(1))
    case .use:
      fixture.advance(by: 2 * Double(FileTimes.longestUseInterval))
      lookUp(cache, identity(1), seed: 1)
    case .store, .storeFirst: cache.store(other, for: identity(9))
    case .storeVarying: cache.store(varying, for: identity(9))
    case .replace: cache.store(other, for: identity(1))
    case .note: cache.store(later, for: identity(1))
    case .remove: cache.removeResponse(for: identity(1))
    case .removeAll: cache.removeAllResponses()
    case .removeAllWithProgress:
      let isComplete = cache.removeAllResponses { _, _ in
      }
      #expect(!isComplete || fixture.files.isEmpty)
    case .trim: cache.trim()
    case .measure: _ = cache.measured()
    case .move, .moveAcrossFileSystems: cache.moveEntries(from: oldDirectory(fixture))
    }
  }

  private static func lookUp(_ cache: DiskImageCache, _ identity: RequestIdentity, seed: UInt8) {
    let found = cache.response(for: identity)
    #expect(found == nil || found == storedResponse(5000, seed: seed))
  }

  /// Checks the conditions that hold after any failure.
  private static func check(_ operation: Operation, _ fixture: DiskFixture, _ note: Comment) {
    let cache = fixture.cache()
    if operation.isMove { checkMove(to: cache, fixture, note) }
    let found = (1...3).map { cache.response(for: identity($0)) }
    let expected = (1...3).map { storedResponse(5000, seed: UInt8($0)) }
    switch operation {
    case .storeFirst: break
    case .removeAll, .removeAllWithProgress:
      for (found, expected) in zip(found, expected) { #expect(found == nil || found == expected, note) }
    case .remove, .replace, .note:
      let isKept = operation == .remove ? found[0] == nil : found[0] == other || found[0] == later
      #expect(isKept || found[0] == expected[0], note)
      #expect(found[1] == expected[1] && found[2] == expected[2], note)
    default: for (found, expected) in zip(found, expected) { #expect(found == expected, note) }
    }
    if ![.storeFirst, .storeVarying].contains(operation), !operation.removesAll {
      #expect(cache.response(for: secret) == storedResponse(5000, seed: 4), note)
    }
    let stored = cache.response(for: identity(9))
    #expect(stored == nil || stored?.body == other.body || stored?.body == varying.body, note)
    cache.trim()
    let leftovers = fixture.everything.filter {
      $0.contains(TemporaryFile.prefix) || $0.contains(RemovedFolder.prefix)
    }
    #expect(leftovers.isEmpty, note)
  }

  /// Checks that each response is in one of the directories after a failed move, and that another move completes it.
  private static func checkMove(to cache: DiskImageCache, _ fixture: DiskFixture, _ note: Comment) {
    let old = fixture.cache(oldDirectory(fixture))
    let requests = [identity(1), identity(2), identity(3), secret]
    for (index, request) in requests.enumerated() {
      let found = cache.response(for: request) ?? old.response(for: request)
      #expect(found == storedResponse(5000, seed: UInt8(index + 1)), note)
    }
    cache.moveEntries(from: oldDirectory(fixture))
    #expect(!FileManager.default.fileExists(atPath: oldDirectory(fixture)), note)
  }

  /// Checks the operations that must work when no call fails.
  private static func checkAgain(
    _ operation: Operation, _ cache: DiskImageCache, _ fixture: DiskFixture, _ note: Comment
  ) {
    fixture.clock.advance(by: WritePause.seconds)
    #expect(cache.store(other, for: identity(9)), note)
    #expect(cache.response(for: identity(9)) == other, note)
    #expect(cache.store(storedResponse(5000, seed: 5), for: secret), note)
    #expect(cache.response(for: secret) == storedResponse(5000, seed: 5), note)
    #expect(cache.store(varying, for: identity(10)), note)
    #expect(cache.response(for: identity(10))?.matches(["X-Theme": "dark"]) == true, note)
    #expect(cache.fault == nil, note)
    #expect(cache.removeResponse(for: identity(9)) && cache.response(for: identity(9)) == nil, note)
    #expect(cache.measured().entries == fixture.files.count, note)
    #expect(cache.removeAllResponses() && fixture.files.isEmpty, note)
  }

  @Test(
    "a call that fails once loses no good file, no descriptor and no later operation",
    arguments: Operation.allCases)
  func callThatFailsOnceLosesNoGoodFile(operation: Operation) {
    for call in Self.calls(of: operation) {
      // Repeats until the operation makes fewer calls than `number`.
      var number = 1
      while Self.fails(operation, call, number) { number += 1 }
    }
  }

  /// Returns the calls that an operation makes.
  private static func calls(of operation: Operation) -> [FaultySystem.Call] {
    let (fixture, system) = (filled(operation), makeSystem(for: operation))
    perform(operation, fixture.cache(on: system), fixture)
    return FaultySystem.Call.allCases.filter { system.calls.contains($0) }
  }

  /// Fails one call in each way. Returns false if the operation does not make the call.
  private static func fails(_ operation: Operation, _ call: FaultySystem.Call, _ number: Int) -> Bool {
    for fault in FaultySystem.Fault.all(of: call, number: number) {
      let (fixture, system) = (filled(operation), makeSystem(for: operation))
      let cache = fixture.cache(on: system)
      let note: Comment = "\(operation.rawValue), \(call.rawValue) number \(number): \(fault)"
      system.fail(call, number: number, with: fault)
      perform(operation, cache, fixture)
      guard system.hasFailed else { return false }
      check(operation, fixture, note)
      checkAgain(operation, cache, fixture, note)
      #expect(system.openCount == 0, note)
    }
    return true
  }

  @Test("while one call hangs, other operations of the same cache continue", arguments: Operation.allCases)
  func hangingCallDoesNotBlockOtherOperations(operation: Operation) async throws {
    for call in Self.calls(of: operation) {
      let (fixture, system, gate) = (Self.filled(operation), Self.makeSystem(for: operation), Gate())
      defer { gate.open() }
      let cache = fixture.cache(on: system)
      system.fail(call, with: .hang(gate))
      async let end: Void = untilCalled { done in
        BlockingThread.start {
          Self.perform(operation, cache, fixture)
          done()
        }
      }
      await gate.waitUntilHeld(1)
      if operation != .storeFirst, !operation.removesAll, !operation.isMove {
        // On a thread of its own, so that a lookup that waits for the hanging call fails the test.
        let found = try await callback { (done: @escaping @Sendable (StoredResponse?) -> Void) in
          BlockingThread.start { done(cache.response(for: identity(2))) }
        }
        #expect(found == storedResponse(5000, seed: 2), "\(operation), \(call)")
      }
      gate.open()
      try await end
      Self.check(operation, fixture, "\(operation.rawValue), \(call.rawValue)")
      #expect(system.openCount == 0)
    }
  }
}
