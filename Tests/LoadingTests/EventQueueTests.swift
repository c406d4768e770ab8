import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The queue of events for a slow listener takes bounded memory.
@MainActor @Suite(.timeLimit(.minutes(5))) struct EventQueueTests {
  @Test func queueKeepsOnlyTheNewestProgressAndPreview() {
    var queue = ImageTask.EventQueue()
    for number in 1...1000 {
      queue.append(.progress(.init(received: number)))
      queue.append(.preview(.solid(width: number, height: 1)))
    }

    var words: [String] = []
    while let event = queue.takeFirst() {
      switch event {
      case .progress(let progress): words.append("progress \(progress.received)")
      case .preview(let image): words.append("part \(image.pixelWidth)")
      default: words.append("other")
      }
    }
    #expect(words == ["progress 1000", "part 1000"])
  }

  @Test func queueKeepsTheNewestOtherEventsAndAlwaysTheOutcome() {
    var queue = ImageTask.EventQueue()
    for number in 1...1000 { queue.append(.willRetry(after: Double(number), .status(503))) }
    queue.append(.finished(.failure(.cancelled)))
    queue.append(.paused)

    var delays: [Double] = []
    var last: ImageTask.Event?
    while let event = queue.takeFirst() {
      last = event
      if case .willRetry(let delay, _) = event { delays.append(delay) }
    }
    #expect(delays.count == ImageTask.EventQueue.limit && delays.last == 1000)
    guard case .finished = last else { return #expect(Bool(false), "the outcome was lost") }
  }

  @Test func slowListenerReceivesTheLastProgressAndTheOutcome() async {
    let world = Fixture()
    let task = world.downloader.load(request())
    let events = task.events
    let transfer = world.transport.transfers[0]
    transfer.respond()
    for _ in 0..<100_000 { transfer.send([0]) }
    transfer.finish()
    _ = try? await task.response

    var count = 0
    var received = 0
    var isFinished = false
    for await event in events {
      count += 1
      if case .progress(let progress) = event { received = progress.received }
      if case .finished = event { isFinished = true }
    }
    #expect(received == 100_000 && isFinished)
    #expect(count <= 5)
  }

  @Test func releasedStreamRemovesItsListener() {
    let world = Fixture()
    let task = world.downloader.load(request())
    for _ in 0..<10 { _ = task.events }
    #expect(task.subscriberCount == 0)
    let retained = task.events
    #expect(task.subscriberCount == 1)
    withExtendedLifetime((retained, world)) {}
  }
}
