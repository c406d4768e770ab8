import Callbacks
import FoundationEssentials
import Glibc
import Synchronization
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Transfers of files and data URLs.
@Suite(.timeLimit(.minutes(1))) final class LocalTransportTests: Sendable {
  private let transport = LocalTransport()
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "vitrine-local-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func write(_ bytes: [UInt8], to name: String) throws -> URL {
    let url = folder.appending(path: name)
    try Data(bytes).write(to: url)
    return url
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func load(_ url: URL, bodyLimit: Int = 1 << 20) async throws -> LocalReceiver.Outcome {
    try await callback { done in
      let receiver = LocalReceiver(done)
      _ = transport.start(TransportRequest(url: url, bodyLimit: bodyLimit), receiver: receiver)
    }
  }

  @Test func fileIsRead() async throws {
    let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 * 31) }
    let url = try write(bytes, to: "large.bin")

    let outcome = try await load(url)

    #expect(outcome.body == bytes)
    #expect(outcome.response?.status == nil)
    #expect(outcome.response?.expectedLength == bytes.count)
    #expect(outcome.metrics?.bytesReceived == bytes.count)
    #expect(outcome.metrics?.requests == 0)
  }

  @Test(arguments: ["a b.jpg", "100%.jpg", "größe#1?.jpg"]) func pathIsPercentDecoded(name: String)
    async throws
  {
    let url = try write([1, 2, 3], to: name)

    #expect(try await load(url).body == [1, 2, 3])
  }

  @Test func pathWithAZeroByteIsRefused() async throws {
    let url = try write([1, 2, 3], to: "a.jpg")
    let longer = try #require(URL(string: url.absoluteString + "%00.png"))

    let error = try await load(longer).error

    #expect(error == .unreadableFile(path: url.path() + "\0.png", message: "a zero byte in its name"))
  }

  @Test func emptyFileHasAnEmptyBody() async throws {
    let outcome = try await load(try write([], to: "empty"))

    #expect(outcome.body == [])
    #expect(outcome.error == nil)
  }

  @Test func fileWithoutADeclaredLengthIsReadToItsEnd() async throws {
    let outcome = try await load(URL(filePath: "/proc/self/status"))

    #expect(outcome.error == nil)
    #expect(!outcome.body.isEmpty)
  }

  @Test func missingFileFails() async throws {
    let url = folder.appending(path: "missing.jpg")

    #expect(
      try await load(url).error == .unreadableFile(path: url.path(), message: "No such file or directory"))
  }

  // MARK: Errors of the system

  /// Returns a transport for which `open` fails with each of the codes once, before it works.
  private func failingToOpen(_ codes: [Int32]) -> LocalTransport {
    let remaining = Shared(codes)
    return LocalTransport(clock: ManualLoadingClock()) {
      Glibc.read($0, $1.baseAddress, $1.count)
    } open: { path in
      guard let code = remaining.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
        return Glibc.open(path, O_RDONLY | O_CLOEXEC)
      }
      errno = code
      return -1
    }
  }

  @Test(arguments: [EMFILE, ENFILE, ENOMEM, EAGAIN, EIO])
  func transientOpenFailureIsRetryable(code: Int32) async throws {
    let url = try write([1], to: "a.jpg")
    let transport = failingToOpen([code])

    let error = try #require(try await outcome(of: url, transport).error)

    #expect(error.isRetryable)
    #expect("\(error)" == "cannot read \(url.path()): \(String(cString: strerror(code)))")
    #expect(try await outcome(of: url, transport).body == [1])
  }

  @Test(arguments: [ENOENT, EACCES, ELOOP])
  func permanentOpenFailureIsNotRetryable(code: Int32) async throws {
    let url = try write([1], to: "a.jpg")

    let error = try #require(try await outcome(of: url, failingToOpen([code])).error)

    #expect(error == .unreadableFile(path: url.path(), message: String(cString: strerror(code))))
    #expect(!error.isRetryable)
  }

  @Test func interruptedOpenIsRepeated() async throws {
    let url = try write([1], to: "a.jpg")

    #expect(try await outcome(of: url, failingToOpen([EINTR, EINTR])).body == [1])
  }

  @Test func fileThatAppearsLaterIsLoadedWhenRequestedAgain() async throws {
    let world = Fixture { $0.failureMemory = FailureMemory() }
    let request = ImageRequest(url: folder.appending(path: "later.jpg"))
    await #expect(throws: ImageError.self) { try await world.downloader.load(request).response }

    _ = try write(Fixture.body, to: "later.jpg")

    #expect(try await world.downloader.load(request).response.source == .file)
  }

  @Test func directoryIsRefused() async throws {
    let outcome = try await load(URL(filePath: folder.path(), directoryHint: .notDirectory))

    #expect(outcome.error == .unreadableFile(path: folder.path(), message: "a directory"))
  }

  @Test func deviceIsRefused() async throws {
    #expect(
      try await load(URL(filePath: "/dev/zero")).error
        == .unreadableFile(path: "/dev/zero", message: "not a regular file"))
  }

  @Test func fifoIsRefusedWithoutWaiting() async throws {
    let url = folder.appending(path: "fifo")
    try #require(mkfifo(url.path(), 0o600) == 0)

    #expect(try await load(url).error == .unreadableFile(path: url.path(), message: "not a regular file"))
  }

  @Test func fileOnAnotherMachineIsRefused() async throws {
    let url = try #require(URL(string: "file://other.test/etc/passwd"))

    guard case .unreadableFile = try await load(url).error else {
      Issue.record("read from another machine")
      return
    }
  }

  @Test func fileURLWithLocalhostIsRead() async throws {
    let path = try write([7], to: "a").path()

    #expect(try await load(try #require(URL(string: "file://localhost\(path)"))).body == [7])
  }

  @Test func bodyAboveTheLimitIsRefused() async throws {
    let url = try write([1, 2, 3, 4], to: "four")

    #expect(try await load(url, bodyLimit: 4).error == nil)
    #expect(try await load(url, bodyLimit: 3).error == .tooLarge(.body(bytes: 3)))
    #expect(
      try await load(URL(filePath: "/proc/self/status"), bodyLimit: 3).error == .tooLarge(.body(bytes: 3)))
    let data = try #require(URL(string: "data:,1234"))
    #expect(try await load(data, bodyLimit: 3).error == .tooLarge(.body(bytes: 3)))
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

  // MARK: Hanging disks

  /// Returns a transport whose reads of files named "hangs" block.
  private func hanging(_ gate: Gate, _ clock: ManualLoadingClock) -> LocalTransport {
    LocalTransport(clock: clock) { file, buffer in
      let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(file)")
      if path?.contains("hangs") == true { gate.pass() }
      return Glibc.read(file, buffer.baseAddress, buffer.count)
    }
  }

  private func outcome(of url: URL, _ transport: LocalTransport) async throws -> LocalReceiver.Outcome {
    try await callback {
      _ = transport.start(TransportRequest(url: url), receiver: LocalReceiver($0))
    }
  }

  /// Reads the file until a read succeeds, because a blocked thread becomes free shortly after its gate is open.
  private func body(of url: URL, _ transport: LocalTransport) async throws -> [UInt8] {
    var limit = WaitLimit()
    while true {
      let outcome = try await outcome(of: url, transport)
      if outcome.error == nil { return outcome.body }
      try await limit.pause()
    }
  }

  @Test func hangingFileTimesOutAndLaterFilesAreRead() async throws {
    let (gate, clock) = (Gate(), ManualLoadingClock())
    let transport = hanging(gate, clock)
    let (hangs, reads) = (try write([1], to: "hangs"), try write([2], to: "reads"))
    let embedded = try #require(URL(string: "data:,3"))
    async let blocked = outcome(of: hangs, transport)
    await gate.waitUntilHeld(1)
    async let next = outcome(of: reads, transport)
    async let data = outcome(of: embedded, transport)

    clock.advance(by: TransportRequest.Timeouts().stall)

    #expect(try await blocked.error == .timedOut(.stall(seconds: 15)))
    #expect(try await next.body == [2])
    #expect(try await data.body == [UInt8(ascii: "3")])
    // The read returns, and its result is dropped.
    gate.open()
    #expect(try await body(of: hangs, transport) == [1])
  }

  @Test func dataURLIsNotDelayedByHangingFiles() async throws {
    let (gate, clock) = (Gate(), ManualLoadingClock())
    let transport = hanging(gate, clock)
    let embedded = try #require(URL(string: "data:,3"))
    for count in 1...LocalLane.maximumBlockedThreads {
      let hangs = try write([1], to: "hangs\(count)")
      async let blocked = outcome(of: hangs, transport)
      await gate.waitUntilHeld(count)

      #expect(try await outcome(of: embedded, transport).body == [UInt8(ascii: "3")])

      clock.advance(by: TransportRequest.Timeouts().stall)
      #expect(try await blocked.error == .timedOut(.stall(seconds: 15)))
    }
    #expect(try await outcome(of: embedded, transport).body == [UInt8(ascii: "3")])
    gate.open()
  }

  @Test func hangingFileBlocksOneThreadHoweverOftenItIsRequested() async throws {
    let (gate, clock) = (Gate(), ManualLoadingClock())
    let transport = hanging(gate, clock)
    let (hangs, reads) = (try write([1], to: "hangs"), try write([2], to: "reads"))
    async let blocked = outcome(of: hangs, transport)
    await gate.waitUntilHeld(1)
    async let second = outcome(of: hangs, transport)
    clock.advance(by: TransportRequest.Timeouts().stall)
    #expect(try await blocked.error == .timedOut(.stall(seconds: 15)))
    #expect(try await second.error == .timedOut(.stall(seconds: 15)))

    for _ in 0..<10 {
      #expect(try await outcome(of: hangs, transport).error == .timedOut(.stall(seconds: 15)))
    }
    #expect(try await outcome(of: reads, transport).body == [2])

    gate.open()
    #expect(try await body(of: hangs, transport) == [1])
  }

  @Test func readsFailAtOnceWhileTheMaximumNumberOfReadsHangs() async throws {
    let (gate, clock) = (Gate(), ManualLoadingClock())
    let transport = hanging(gate, clock)
    let reads = try write([2], to: "reads")
    for count in 1...LocalLane.maximumBlockedThreads {
      let hangs = try write([1], to: "hangs\(count)")
      async let blocked = outcome(of: hangs, transport)
      await gate.waitUntilHeld(count)
      clock.advance(by: TransportRequest.Timeouts().stall)
      #expect(try await blocked.error == .timedOut(.stall(seconds: 15)))
    }
    #expect(try await outcome(of: reads, transport).error == .timedOut(.stall(seconds: 15)))
    gate.open()
    #expect(try await body(of: reads, transport) == [2])
  }

  @Test(arguments: [
    ("data:,hello%20w%C3%B6rld", "hello wörld"), ("data:;base64,aGVsbG8=", "hello"),
    ("data:image/png;base64,aGVsbG8", "hello"),
    ("data:text/plain;charset=utf-8;BASE64,aGVs%0AbG8%3D", "hello"),
    ("data:,a%2", "a%2"), ("data:,", ""), ("data:;base64,", ""), ("data:,a#part", "a"),
    ("data:;base64,-_-_", "\u{FB}\u{FF}\u{BF}"),
  ]) func dataURLIsDecoded(text: String, expected: String) throws {
    let bytes = text.contains("-_") ? [0xFB, 0xFF, 0xBF] : Array(expected.utf8)

    #expect(try DataURL(text).body == bytes)
  }

  @Test(arguments: [
    "data:;base64,a", "data:;base64,aGVsbG8==", "data:;base64,a===", "data:;base64,a!bc", "data:x",
    "data:;base64,QQ=", "data:;base64,QQ===", "data:;base64,QUJD=", "data:;base64,====",
    "data:;base64,QQ==QUJD",
    "data:;base64,QQ=Q",
  ])
  func damagedDataURLIsInvalid(text: String) {
    #expect(throws: ImageError.invalidURL(text)) { try DataURL(text) }
  }

  @Test func dataURLHasItsMediaType() throws {
    #expect(try DataURL("data:image/png;base64,").mediaType == "image/png")
    #expect(try DataURL("data:,").mediaType == "text/plain;charset=US-ASCII")
  }

  @Test func errorOfALongDataURLIsTruncated() {
    let text = "data:;base64,!" + String(repeating: "a", count: 100_000)

    #expect(throws: ImageError.invalidURL(String(text.prefix(64)))) { try DataURL(text) }
  }

  @Test("SD-D31 200 loads of one file, started one after the other, each get its image")
  func staggeredLoadsOfOneFileEachGetItsImage() async throws {
    let file = try write(Fixture.body, to: "a.jpg")
    let world = Fixture()
    var tasks: [ImageTask] = []
    for number in 0..<200 {
      tasks.append(
        world.downloader.load(
          ImageRequest(url: file, targetSize: DecodeTarget(width: 1 + number % 5, height: 1))))
      // Staggered, so that some reads begin while others run, and some after they have ended.
      if number % 3 == 0 { await Task.yield() }
      if number % 20 == 19 { _ = try await tasks[number - 10].response }
    }
    for task in tasks { #expect(try await task.response.image.pixelWidth >= 1) }
  }

  @Test("SD-D32 ten loads of an empty file each fail with .emptyBody")
  func loadsOfAnEmptyFileEachFail() async throws {
    let file = try write([], to: "empty.jpg")
    let world = Fixture()
    var tasks: [ImageTask] = []
    for number in 0..<10 {
      tasks.append(world.downloader.load(ImageRequest(url: file)))
      await Task.yield()
      if number == 4 { await #expect(throws: ImageError.emptyBody) { try await tasks[2].response } }
    }
    for task in tasks { await #expect(throws: ImageError.emptyBody) { try await task.response } }
  }

  @Test func dataURLLoadsWhileFilesHang() async throws {
    let gate = Gate()
    let transport = hanging(gate, ManualLoadingClock())
    let downloader = ImageDownloader(transports: [transport], decoder: FakeDecoder())
    let files = try (1...3).map { downloader.load(ImageRequest(url: try write([1], to: "hangs\($0)"))) }
    await gate.waitUntilHeld(1)

    let data = try await downloader.image(for: "data:,4 5 0 0 0 255")

    #expect(data.image.pixelWidth == 4)
    gate.open()
    for file in files { file.cancel() }
  }

  @Test func downloaderReadsFilesAndDataURLs() async throws {
    let downloader = ImageDownloader(transports: [LocalTransport()], decoder: FakeDecoder())
    let url = try write(FakeDecoder.encodedImage(width: 3, height: 2), to: "a.picture")

    let file = try await downloader.image(for: url)
    let data = try await downloader.image(for: "data:,4 5 0 0 0 255")

    #expect(file.source == .file)
    #expect(file.image.pixelWidth == 3)
    #expect(data.source == .file)
    #expect(data.image.pixelWidth == 4)
    #expect(downloader.statistics.requests == 0)
    #expect(downloader.statistics.bytes == 0)
  }
}

/// Collects the outcome of one transfer, and can block its thread with a gate.
private final class LocalReceiver: TransportReceiver {
  struct Outcome: Sendable {
    var response: TransportResponse?
    var body: [UInt8] = []
    var metrics: TransportMetrics?
    var error: ImageError?
  }

  private let outcome = Mutex(Outcome())
  private let gate: Gate?
  private let done: @Sendable (Outcome) -> Void

  init(_ done: @escaping @Sendable (Outcome) -> Void, gate: Gate? = nil) {
    self.done = done
    self.gate = gate
  }

  func transportDidReceive(_ response: TransportResponse) {
    gate?.pass()
    outcome.withLock { $0.response = response }
  }

  func transportDidReceive(_ bytes: UnsafeRawBufferPointer) {
    outcome.withLock { $0.body.append(contentsOf: bytes) }
  }

  func transportDidFinish(_ result: Result<TransportMetrics, ImageError>) {
    done(
      outcome.withLock { outcome in
        switch result {
        case .success(let metrics): outcome.metrics = metrics
        case .failure(let error): outcome.error = error
        }
        return outcome
      })
  }
}
