import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Progress of a load.
@MainActor @Suite(.timeLimit(.minutes(5))) struct ProgressTests {
  @Test("AF-S5 progress reaches the full length before the completion")
  func progressReachesTheFullLengthBeforeTheCompletion() async throws {
    let world = Fixture()
    let recorder = Recorder<String>()
    let task = world.downloader.load(
      request(), completion: { _ in recorder.add("done") },
      progress: { recorder.add("\($0.received) of \($0.expected ?? -1)") })
    let transfer = world.transport.transfers[0]
    let half = Fixture.body.count / 2

    transfer.respond(expectedLength: Fixture.body.count)
    transfer.send(Array(Fixture.body[..<half]))
    _ = try await recorder.wait(for: 1)
    transfer.send(Array(Fixture.body[half...]))
    transfer.finish()

    let total = Fixture.body.count
    #expect(try await recorder.wait(for: 3) == ["\(half) of \(total)", "\(total) of \(total)", "done"])
    #expect(task.progress == .init(received: total, expected: total))
  }

  @Test(
    "YY-B22 the expected length is reported before the first byte and reached at the end; an unknown length is nil"
  )
  func expectedLengthIsReportedBeforeTheFirstByte() async throws {
    let world = Fixture()
    let recorder = Recorder<ImageTask.Progress>()
    for _ in 1...2 { world.downloader.load(request(), progress: { recorder.add($0) }) }
    world.downloader.load(request("b.jpg"), progress: { recorder.add($0) })
    let (known, unknown) = (world.transport.transfers[0], world.transport.transfers[1])
    let total = Fixture.body.count

    known.respond(expectedLength: total)
    #expect(
      try await recorder.wait(for: 2) == Array(repeating: .init(received: 0, expected: total), count: 2))
    known.send(Fixture.body)
    #expect(try await recorder.wait(for: 4).last == .init(received: total, expected: total))
    unknown.respond()
    unknown.send([1])
    #expect(try await recorder.wait(for: 5).last == .init(received: 1, expected: nil))
  }

  @Test func undeliveredProgressIsReplacedByNewerProgress() async throws {
    let world = Fixture()
    let recorder = Recorder<Int>()
    world.downloader.load(
      request(), completion: { _ in recorder.add(-1) }, progress: { recorder.add($0.received) })

    for _ in 0..<1000 { world.transport.transfers[0].send([0]) }
    world.transport.transfers[0].finish()

    #expect(try await recorder.wait(for: 2) == [1000, -1])
  }

  @Test func joiningTaskReceivesProgress() async {
    let world = Fixture()
    let first = world.downloader.load(request())
    world.transport.transfers[0].send([1, 2])
    let second = world.downloader.load(request())
    #expect(second.progress.received == 0)

    world.transport.transfers[0].send([3])

    #expect(first.progress.received == 3)
    #expect(second.progress.received == 3)
  }

  @Test func cancelledTaskReceivesNoProgress() async throws {
    let world = Fixture()
    let recorder = Recorder<String>()
    let task = world.downloader.load(
      request(), completion: { _ in recorder.add("cancelled") }, progress: { _ in recorder.add("progress") })
    world.downloader.load(request(), completion: { _ in recorder.add("failed") })

    world.transport.transfers[0].send([1])
    task.cancel()
    world.transport.transfers[0].send([2])
    world.transport.transfers[0].fail(.status(404))

    #expect(try await recorder.wait(for: 2) == ["cancelled", "failed"])
  }

  @Test func fractionIsNilWithoutAnExpectedLength() {
    #expect(ImageTask.Progress(received: 5, expected: 10).fraction == 0.5)
    #expect(ImageTask.Progress(received: 15, expected: 10).fraction == 1)
    #expect(ImageTask.Progress(received: 5).fraction == nil)
    #expect(ImageTask.Progress(received: 0, expected: 0).fraction == nil)
  }
}
