import Foundation
import Glibc
import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Broken downloads that a later run of the program continues.
@Suite(.timeLimit(.minutes(5))) struct DurableResumingTests {
  private let fixture = DiskFixture()

  /// 100,000 bytes that decode to an image: the decoder ignores the bytes after the numbers.
  private static let body = FakeDecoder.encodedImage(width: 64, height: 48, count: 100_000)
  private static let tag: HTTPHeaders = ["ETag": "\"v1\"", "Accept-Ranges": "bytes"]
  private static let half = 70_000

  private func sendHalf(_ transfer: FakeTransfer, headers: HTTPHeaders = tag, count: Int = half) {
    transfer.respond(headers: headers, expectedLength: Self.body.count)
    transfer.send(Array(Self.body[..<count]))
  }

  /// Breaks a download in a first run of the program, which then ends.
  private func breakDownload(
    headers: HTTPHeaders = tag, count: Int = half, _ change: (inout ImageRequest) -> Void = { _ in }
  ) async throws {
    let first = CacheProcess(fixture)
    var request = ImageRequest(url: url("a.jpg"))
    change(&request)
    let task = first.downloader.load(request)
    let transfer = try await first.transport.transfer(1)
    #expect(transfer.request.headers["Range"] == nil)
    sendHalf(transfer, headers: headers, count: count)
    transfer.fail(.transport(.truncatedBody, message: "partial file"))
    _ = try? await task.response
    await first.downloader.drain()
  }

  /// Starts a second run of the program, and returns its request.
  private func secondRun(
    _ change: (inout ImageRequest) -> Void = { _ in }
  ) async throws -> (process: CacheProcess, task: ImageTask, transfer: FakeTransfer) {
    let second = CacheProcess(fixture)
    var request = ImageRequest(url: url("a.jpg"))
    change(&request)
    let task = second.downloader.load(request)
    // The first run may still be about to release its lock.
    try await fixture.advance([second]) { !second.transport.transfers.isEmpty }
    return (second, task, second.transport.transfers[0])
  }

  private func sendRest(_ transfer: FakeTransfer, from count: Int = half, tag: String = "\"v1\"") {
    let range = "bytes \(count)-\(Self.body.count - 1)/\(Self.body.count)"
    transfer.respond(
      status: 206, headers: ["Content-Range": range, "ETag": tag, "Cache-Control": "max-age=60"],
      expectedLength: Self.body.count - count)
    transfer.send(Array(Self.body[count...]))
    transfer.finish()
  }

  private var incompleteFiles: [String] {
    fixture.everything.filter { $0.contains("/\(CacheFolder.incompleteFolder)/") }
  }

  @Test func laterRunRequestsTheRest() async throws {
    try await breakDownload()
    #expect(incompleteFiles.count == 1)

    let (second, task, transfer) = try await secondRun()
    #expect(transfer.request.headers["Range"] == "bytes=70000-")
    #expect(transfer.request.headers["If-Range"] == "\"v1\"")
    sendRest(transfer)

    let response = try await task.response
    #expect(response.image.pixelWidth == 64 && response.http?.status == 200)
    #expect(second.downloader.statistics.resumed == 1)
    await second.downloader.drain()
    #expect(second.cache.response(for: identity("a.jpg"))?.body == Self.body)
    #expect(incompleteFiles.isEmpty, "the complete response replaces the beginning")
  }

  @Test func changedImageIsReceivedWhole() async throws {
    try await breakDownload()
    let (second, task, transfer) = try await secondRun()
    #expect(transfer.request.headers["If-Range"] == "\"v1\"")
    transfer.respond(
      with: FakeDecoder.encodedImage(width: 3, height: 2), ["ETag": "\"v2\"", "Cache-Control": "max-age=60"])
    #expect(try await task.response.image.pixelWidth == 3)
    await second.downloader.drain()
    #expect(incompleteFiles.isEmpty)
  }

  @Test(arguments: ["\"v2\"", "refused"]) func restOfAnotherImageIsNotUsed(tag: String) async throws {
    try await breakDownload()
    let (second, task, transfer) = try await secondRun()
    if tag == "refused" {
      transfer.respond(status: 416)
      transfer.fail(.status(416))
    } else {
      sendRest(transfer, tag: tag)
    }
    let whole = try await second.transport.transfer(2)
    #expect(whole.request.headers["Range"] == nil)
    whole.respond(with: FakeDecoder.encodedImage(width: 3, height: 2), freshForAMinute)
    #expect(try await task.response.image.pixelWidth == 3)
    await second.downloader.drain()
  }

  @Test func restFromARedirectIsNotUsed() async throws {
    try await breakDownload()
    let (second, task, transfer) = try await secondRun()
    transfer.respond(
      status: 206, headers: ["Content-Range": "bytes 70000-99999/100000", "ETag": "\"v1\""],
      expectedLength: 30_000, url: url("b.jpg"))
    let whole = try await second.transport.transfer(2)
    #expect(whole.request.headers["Range"] == nil)
    whole.respond(with: FakeDecoder.encodedImage(width: 3, height: 2), freshForAMinute)
    #expect(try await task.response.image.pixelWidth == 3)
    await second.downloader.drain()
  }

  // MARK: Beside a stored response

  private func headers(_ tag: String, second: Int) -> HTTPHeaders {
    [
      "ETag": "\"\(tag)\"", "Date": "Sun, 06 Nov 1994 08:49:\(10 + second) GMT",
      "Cache-Control": "max-age=0",
    ]
  }

  /// A process that does not show a stale image because the clock of the test passes a second.
  private var patientProcess: CacheProcess { CacheProcess(fixture) { $0.freshness.staleAfter = .infinity } }

  /// Stores an older version of the image, which is stale.
  private func storeOlderVersion(_ headers: HTTPHeaders) async throws {
    let process = CacheProcess(fixture)
    let task = process.load()
    try await process.transport.transfer(1)
      .respond(with: FakeDecoder.encodedImage(width: 3, height: 2), headers)
    _ = try await task.response
    await process.downloader.drain()
  }

  @Test(arguments: [true, false]) func downloadOfAChangedImageContinues(isLaterRun: Bool) async throws {
    try await storeOlderVersion(headers("v0", second: 0))
    var process = patientProcess
    var task = process.load()
    try await fixture.advance([process]) { !process.transport.transfers.isEmpty }
    let broken = process.transport.transfers[0]
    #expect(broken.request.headers["If-None-Match"] == "\"v0\"")
    sendHalf(broken, headers: headers("v1", second: 1))
    broken.fail(.transport(.truncatedBody, message: "partial file"))
    #expect(try await task.response.image.pixelWidth == 3, "the stored image is shown meanwhile")
    await process.downloader.drain()
    #expect(incompleteFiles.count == 1)

    if isLaterRun { process = patientProcess }
    let count = process.transport.transfers.count
    task = process.load()
    try await fixture.advance([process]) { process.transport.transfers.count > count }
    let rest = process.transport.transfers[count]

    #expect(rest.request.headers["Range"] == "bytes=70000-")
    #expect(rest.request.headers["If-Range"] == "\"v1\"")
    #expect(rest.request.headers["If-None-Match"] == nil)
    sendRest(rest)
    #expect(try await task.response.image.pixelWidth == 64)
    await process.downloader.drain()
    #expect(process.cache.response(for: identity("a.jpg"))?.body == Self.body)
    #expect(incompleteFiles.isEmpty)
  }

  @Test(
    "a beginning is not continued if the stored response may be newer, or the same",
    arguments: [("v1", 0, 1), ("v0", 1, 0)])
  func beginningOfNoNewerResponseIsNotContinued(tag: String, second: Int, storedSecond: Int) async throws {
    try await storeOlderVersion(headers("v0", second: storedSecond))
    let process = patientProcess
    let task = process.load()
    try await fixture.advance([process]) { !process.transport.transfers.isEmpty }
    sendHalf(process.transport.transfers[0], headers: headers(tag, second: second))
    process.transport.transfers[0].fail(.transport(.truncatedBody, message: "partial file"))
    _ = try await task.response
    await process.downloader.drain()
    #expect(incompleteFiles.count == 1)

    let second = patientProcess
    let other = second.load()
    try await fixture.advance([second]) { !second.transport.transfers.isEmpty }
    let transfer = second.transport.transfers[0]

    #expect(transfer.request.headers["Range"] == nil)
    #expect(transfer.request.headers["If-None-Match"] == "\"v0\"")
    transfer.respond(status: 304)
    transfer.finish()
    #expect(try await other.response.freshness == .revalidated)
    await second.downloader.drain()
  }

  // MARK: Several breaks, and what is not written

  @Test func downloadContinuesAfterSeveralBreaks() async throws {
    try await breakDownload()
    let (second, task, transfer) = try await secondRun()
    transfer.respond(
      status: 206, headers: ["Content-Range": "bytes 70000-99999/100000", "ETag": "\"v1\""],
      expectedLength: 30_000)
    transfer.send(Array(Self.body[70_000..<90_000]))
    transfer.fail(.transport(.truncatedBody, message: "partial file"))
    _ = try? await task.response
    await second.downloader.drain()

    let (third, last, rest) = try await secondRun()
    #expect(rest.request.headers["Range"] == "bytes=90000-")
    sendRest(rest, from: 90_000)
    #expect(try await last.response.data == nil)
    await third.downloader.drain()
    #expect(third.cache.response(for: identity("a.jpg"))?.body == Self.body)
  }

  @Test("small, unstorable and unidentifiable beginnings, and those of private loads, are not written")
  func someBeginningsAreNotWritten() async throws {
    try await breakDownload(count: ResumableData.minimumStoredBytes - 1)
    try await breakDownload(headers: ["ETag": "\"v1\"", "Cache-Control": "no-store"])
    try await breakDownload(headers: ["ETag": "\"v1\"", "Vary": "*"])
    try await breakDownload(headers: ["ETag": "W/\"v1\""])
    try await breakDownload(headers: ["ETag": "\"v1\"", "Accept-Ranges": "none"])
    // The date is too close to that of the response to identify the bytes.
    try await breakDownload(headers: [
      "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:38 GMT",
    ])
    try await breakDownload { $0.cache = .memoryOnly }
    try await breakDownload { $0.headers["Cache-Control"] = "no-store" }
    #expect(incompleteFiles.isEmpty)
    try await breakDownload(headers: [
      "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 09:49:38 GMT",
    ])
    #expect(incompleteFiles.count == 1)
  }

  @Test func beginningIsNotUsedForOtherHeaders() async throws {
    let vary: HTTPHeaders = ["ETag": "\"v1\"", "Vary": "X-Theme"]
    try await breakDownload(headers: vary) { $0.headers["X-Theme"] = "dark" }
    var (run, task, transfer) = try await secondRun { $0.headers["X-Theme"] = "light" }
    #expect(transfer.request.headers["Range"] == nil)
    task.cancel()
    await run.downloader.drain()
    (run, task, transfer) = try await secondRun { $0.headers["X-Theme"] = "dark" }
    #expect(transfer.request.headers["Range"] == "bytes=70000-")
    task.cancel()
    await run.downloader.drain()
    (run, task, transfer) = try await secondRun { $0.headers["Cookie"] = "id=1" }
    #expect(transfer.request.headers["Range"] == nil)
    task.cancel()
    await run.downloader.drain()
  }

  @Test func pausedDownloadIsWritten() async throws {
    let first = CacheProcess(fixture)
    let task = first.load()
    sendHalf(try await first.transport.transfer(1))
    task.pause()
    try await until { !incompleteFiles.isEmpty }
    let (second, other, transfer) = try await secondRun()
    #expect(transfer.request.headers["Range"] == "bytes=70000-")
    for task in [task, other] { task.cancel() }
    for process in [first, second] { await process.downloader.drain() }
  }

  @Test("at the end of the program, running and cancelled downloads are written", arguments: [true, false])
  func downloadsAreWrittenAtTheEnd(isCancelled: Bool) async throws {
    let first = CacheProcess(fixture)
    let task = first.load()
    sendHalf(try await first.transport.transfer(1))
    if isCancelled { task.cancel() }
    #expect(incompleteFiles.isEmpty)

    first.downloader.finishWriting(within: 60)

    #expect(incompleteFiles.count == 1)
    task.cancel()
    await first.downloader.drain()
    let (second, other, transfer) = try await secondRun()
    sendRest(transfer)
    #expect(try await other.response.image.pixelWidth == 64)
    await second.downloader.drain()
  }

  @Test func runningDownloadGoesOnAfterItWasWritten() async throws {
    let first = CacheProcess(fixture)
    let task = first.load()
    let transfer = try await first.transport.transfer(1)
    sendHalf(transfer)
    first.downloader.finishWriting(within: 60)
    transfer.send(Array(Self.body[Self.half...]))
    transfer.finish()
    #expect(try await task.response.image.pixelWidth == 64)
    await first.downloader.drain()
  }

  @Test func resumableDataInMemoryComeBeforeThoseOnDisk() async throws {
    let process = CacheProcess(fixture)
    let task = process.load()
    sendHalf(try await process.transport.transfer(1))
    task.pause()
    try await until { !incompleteFiles.isEmpty }
    task.resume()
    let second = try await process.transport.transfer(2)
    #expect(second.request.headers["Range"] == "bytes=70000-")
    sendRest(second)
    #expect(try await task.response.image.pixelWidth == 64)
    await process.downloader.drain()
    #expect(process.downloader.statistics.resumed == 1)
  }

  @Test("a damaged beginning is a miss, wherever the damage is", arguments: 0..<24)
  func damagedBeginningIsAMiss(part: Int) async throws {
    try await breakDownload()
    let file = try #require(incompleteFiles.first)
    var data = try Data(contentsOf: URL(filePath: file))
    let position = data.count * part / 24
    if part % 2 == 0 { data[position] ^= 1 } else { data = data.prefix(position) }
    try data.write(to: URL(filePath: file))
    let date = Date(timeIntervalSince1970: fixture.wallClock.withLock { $0 })
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)

    let (second, task, transfer) = try await secondRun()

    #expect(transfer.request.headers["Range"] == nil)
    transfer.respond(with: FakeDecoder.encodedImage(width: 3, height: 2), freshForAMinute)
    #expect(try await task.response.image.pixelWidth == 3)
    await second.downloader.drain()
  }

  @Test func withoutResumableDataNothingIsWrittenOrRead() async throws {
    try await breakDownload()
    let process = CacheProcess(fixture) { $0.memory.resumableBytesLimit = 0 }
    let task = process.load()
    let transfer = try await process.transport.transfer(1)
    #expect(transfer.request.headers["Range"] == nil)
    task.cancel()
    await process.downloader.drain()
  }

  @Test("a disk that fails at any call leads to the whole image", arguments: FaultySystem.Call.allCases)
  func failingDiskLeadsToTheWholeImage(call: FaultySystem.Call) async throws {
    for error in [EIO, ENOSPC, EROFS] {
      let (fixture, system) = (DiskFixture(), FaultySystem())
      system.fail(call, number: FaultySystem.always, with: .error(error))
      for _ in 0..<2 {
        let process = CacheProcess(fixture, system: system)
        let task = process.load()
        let transfer = try await process.transport.transfer(1)
        if transfer.request.headers["Range"] == nil {
          sendHalf(transfer)
          transfer.fail(.transport(.truncatedBody, message: "partial file"))
          _ = try? await task.response
        } else {
          sendRest(transfer)
          #expect(try await task.response.image.pixelWidth == 64)
        }
        await process.downloader.drain()
        #expect(system.openCount == 0)
      }
    }
  }
}
