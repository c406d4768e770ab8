import Callbacks
import FoundationEssentials
import Glibc
import Testing
import VitrineConcurrency
import VitrineTesting

@testable import VitrineLoading

/// Transfers of files, and the files that are refused.
@Suite(.timeLimit(.minutes(5))) struct LocalTransportTests {
  private let transport = LocalTransport()
  private let files: LocalFiles

  init() throws { files = try LocalFiles() }

  @Test func fileIsRead() async throws {
    let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 * 31) }
    let url = try files.write(bytes, to: "large.bin")

    let outcome = try await transport.outcome(of: url)

    #expect(outcome.body == bytes)
    #expect(outcome.response?.status == nil)
    #expect(outcome.response?.expectedLength == bytes.count)
    #expect(outcome.metrics?.bytesReceived == bytes.count)
    #expect(outcome.metrics?.requests == 0)
  }

  @Test(arguments: ["a b.jpg", "100%.jpg", "größe#1?.jpg"]) func pathIsPercentDecoded(name: String)
    async throws
  {
    let url = try files.write([1, 2, 3], to: name)

    #expect(try await transport.outcome(of: url).body == [1, 2, 3])
  }

  @Test func pathWithAZeroByteIsRefused() async throws {
    let url = try files.write([1, 2, 3], to: "a.jpg")
    let longer = try #require(URL(string: url.absoluteString + "%00.png"))

    let error = try await transport.outcome(of: longer).error

    #expect(error == .unreadableFile(path: url.path() + "\0.png", message: "a zero byte in its name"))
  }

  @Test func emptyFileHasAnEmptyBody() async throws {
    let outcome = try await transport.outcome(of: try files.write([], to: "empty"))

    #expect(outcome.body == [])
    #expect(outcome.error == nil)
  }

  @Test func fileWithoutADeclaredLengthIsReadToItsEnd() async throws {
    let outcome = try await transport.outcome(of: URL(filePath: "/proc/self/status"))

    #expect(outcome.error == nil)
    #expect(!outcome.body.isEmpty)
  }

  @Test func missingFileFails() async throws {
    let url = files.folder.appending(path: "missing.jpg")

    #expect(
      try await transport.outcome(of: url).error
        == .unreadableFile(path: url.path(), message: "No such file or directory"))
  }

  @Test func directoryIsRefused() async throws {
    let outcome = try await transport.outcome(
      of: URL(filePath: files.folder.path(), directoryHint: .notDirectory))

    #expect(outcome.error == .unreadableFile(path: files.folder.path(), message: "a directory"))
  }

  @Test func deviceIsRefused() async throws {
    #expect(
      try await transport.outcome(of: URL(filePath: "/dev/zero")).error
        == .unreadableFile(path: "/dev/zero", message: "not a regular file"))
  }

  @Test func fifoIsRefusedWithoutWaiting() async throws {
    let url = files.folder.appending(path: "fifo")
    try #require(mkfifo(url.path(), 0o600) == 0)

    #expect(
      try await transport.outcome(of: url).error
        == .unreadableFile(path: url.path(), message: "not a regular file"))
  }

  @Test func fileOnAnotherMachineIsRefused() async throws {
    let url = try #require(URL(string: "file://other.test/etc/passwd"))

    guard case .unreadableFile = try await transport.outcome(of: url).error else {
      Issue.record("read from another machine")
      return
    }
  }

  @Test func fileURLWithLocalhostIsRead() async throws {
    let path = try files.write([7], to: "a").path()
    let url = try #require(URL(string: "file://localhost\(path)"))

    #expect(try await transport.outcome(of: url).body == [7])
  }

  @Test func bodyAboveTheLimitIsRefused() async throws {
    let url = try files.write([1, 2, 3, 4], to: "four")

    #expect(try await transport.outcome(of: url, bodyLimit: 4).error == nil)
    #expect(try await transport.outcome(of: url, bodyLimit: 3).error == .tooLarge(.body(bytes: 3)))
    #expect(
      try await transport.outcome(of: URL(filePath: "/proc/self/status"), bodyLimit: 3).error
        == .tooLarge(.body(bytes: 3)))
    let data = try #require(URL(string: "data:,1234"))
    #expect(try await transport.outcome(of: data, bodyLimit: 3).error == .tooLarge(.body(bytes: 3)))
  }

  @Test func cancelledReadEndsOnceWithCancelled() async throws {
    // The first read holds the thread; the second is cancelled before its turn.
    let gate = Gate()
    let url = URL(filePath: "/proc/self/status")
    async let blocked = callback {
      _ = transport.start(TransportRequest(url: url), receiver: LocalReceiver($0, gate: gate))
    }
    await gate.waitUntilHeld(1)
    async let cancelled = callback {
      let transfer = transport.start(TransportRequest(url: url), receiver: LocalReceiver($0))
      transfer.cancel()
      transfer.cancel()
      gate.open()
    }

    #expect(try await blocked.error == nil)
    #expect(try await cancelled.error == .cancelled)
  }
}
