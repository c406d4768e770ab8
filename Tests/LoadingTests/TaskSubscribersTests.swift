import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The list of subscribers of a task: the receivers of each event, and the turns that are posted.
@MainActor @Suite(.timeLimit(.minutes(5))) struct TaskSubscribersTests {
  typealias Subscribers = ImageTask.Subscribers

  private let failure = ImageTask.Outcome.failure(.cancelled)
  /// The turn of each kind of event; nil for an event that only event streams receive.
  private let events: [Subscribers.Turn?] = [nil, .progress, .preview, .pause, .end]

  /// Returns the outcome that a waiting Swift task receives after `act` was called with its subscriber.
  private func awaitedOutcome(_ act: (Subscribers.Subscriber) -> Void) async -> ImageTask.Outcome {
    await withCheckedContinuation { act(.waiter($0)) }
  }

  @Test func completionIsPostedAtTheEndAndTakenOnce() {
    var subscribers = Subscribers(.init(completion: { _ in }))

    let turns = events.map { subscribers.publish($0).turn }
    #expect(turns == [nil, nil, nil, nil, .end])
    #expect(subscribers.hasCompletion && subscribers.count == 0)
    let first = subscribers.take(.end)
    let second = subscribers.take(.end)

    #expect(first.handlers.completion != nil && second.handlers.completion == nil)
    #expect(!subscribers.hasCompletion)
  }

  @Test func eventsWithoutSubscribersPostNoTurn() {
    var subscribers = Subscribers(.init())
    let turns = events.map { subscribers.publish($0).turn }
    #expect(turns == [nil, nil, nil, nil, nil])
  }

  @Test func progressIsPostedAgainOnlyAfterItsTurn() {
    var subscribers = Subscribers(.init(progress: { _ in }))

    let first = subscribers.publish(.progress).turn
    let second = subscribers.publish(.progress).turn
    let taken = subscribers.take(.progress)
    let third = subscribers.publish(.progress).turn

    #expect(first == .progress && second == nil && third == .progress)
    #expect(taken.handlers.progress != nil)
  }

  @Test func previewIsPostedAgainOnlyAfterItsTurn() {
    var subscribers = Subscribers(.init(preview: { _ in }))

    let first = subscribers.publish(.preview).turn
    let progress = subscribers.publish(.progress).turn
    let second = subscribers.publish(.preview).turn
    let taken = subscribers.take(.preview)
    let third = subscribers.publish(.preview).turn

    #expect(first == .preview && progress == nil && second == nil && third == .preview)
    #expect(taken.handlers.preview != nil)
  }

  @Test(arguments: [ImageTask.Subscribers.Turn.progress, .pause, .end])
  func observersAreCalledInTheOrderOfAdding(turn: ImageTask.Subscribers.Turn) {
    let recorder = Recorder<String>()
    var subscribers = Subscribers(.init())
    _ = subscribers.add(.observer { recorder.add("first") })
    _ = subscribers.add(.observer { recorder.add("second") })

    let posted = subscribers.publish(turn).turn
    subscribers.take(turn).callObservers()

    #expect(posted == turn)
    #expect(recorder.values == ["first", "second"])
  }

  @Test func observersAreNotCalledForAPreview() {
    let recorder = Recorder<Int>()
    var subscribers = Subscribers(.init())
    _ = subscribers.add(.observer { recorder.add(1) })

    let posted = subscribers.publish(.preview).turn
    subscribers.take(.preview).callObservers()

    #expect(posted == nil)
    #expect(recorder.values.isEmpty)
  }

  @Test func observersAreCalledAtTheEndOnce() {
    let recorder = Recorder<Int>()
    var subscribers = Subscribers(.init())
    _ = subscribers.add(.observer { recorder.add(1) })

    _ = subscribers.publish(.end)
    #expect(subscribers.count == 1)
    subscribers.take(.end).callObservers()
    subscribers.take(.progress).callObservers()

    #expect(recorder.values == [1])
    #expect(subscribers.count == 0)
  }

  @Test func removedSubscriberReceivesNothing() {
    let recorder = Recorder<Int>()
    var subscribers = Subscribers(.init())
    let numbers = (1...2).map { value in subscribers.add(.observer { recorder.add(value) }) }

    let removed = subscribers.remove(numbers[0])
    let unknown = subscribers.remove(0)
    subscribers.take(.pause).callObservers()

    #expect(removed != nil && unknown == nil)
    #expect(recorder.values == [2])
  }

  @Test func eventStreamReceivesEachEventAtOnceAndNothingAfterTheEnd() async {
    let listener = ImageTask.Listener()
    var subscribers = Subscribers(.init())
    _ = subscribers.add(.stream(listener))

    let response = subscribers.publish(nil)
    response.send(.transferred(TransportMetrics()))
    let progress = subscribers.publish(.progress)
    progress.send(.progress(.init(received: 1)))
    let end = subscribers.publish(.end)
    end.send(.finished(failure))

    #expect(progress.turn == nil && end.turn == nil && subscribers.count == 0)
    guard case .transferred = await listener.next() else { return #expect(Bool(false), "no metrics") }
    guard case .progress = await listener.next() else { return #expect(Bool(false), "no progress") }
    guard case .finished = await listener.next() else { return #expect(Bool(false), "no outcome") }
    let afterTheEnd = await listener.next()
    #expect(afterTheEnd == nil)
  }

  @Test func waitingTaskIsResumedOnlyWithTheOutcome() async {
    var subscribers = Subscribers(.init())
    let outcome = await awaitedOutcome { waiter in
      _ = subscribers.add(waiter)
      subscribers.publish(.progress).send(.progress(.init(received: 1)))
      let end = subscribers.publish(.end)
      #expect(end.turn == nil)
      end.resume(returning: failure)
      // A subscriber that is resumed twice would trap.
      subscribers.publish(.end).resume(returning: failure)
    }

    #expect(throws: ImageError.cancelled) { try outcome.get() }
    #expect(subscribers.count == 0)
  }

  @Test func observerRemainsWhenStreamsAndWaitingTasksAreRemovedAtTheEnd() async {
    let recorder = Recorder<Int>()
    var subscribers = Subscribers(.init())
    _ = await awaitedOutcome { waiter in
      _ = subscribers.add(waiter)
      _ = subscribers.add(.observer { recorder.add(1) })
      _ = subscribers.add(.stream(ImageTask.Listener()))
      let end = subscribers.publish(.end)
      #expect(end.turn == .end && subscribers.count == 1)
      end.resume(returning: failure)
    }

    subscribers.take(.end).callObservers()

    #expect(recorder.values == [1])
  }
}
