import Testing
import VitrineGraphics
import VitrineLoading
import VitrineTesting

@testable import VitrineImageWidgets

/// The completions whose result is known and that have not been called.
struct PendingCompletionsTests {
  private final class Calls { var names: [String] = [] }

  private let calls = Calls()

  private func handlers(_ names: String...) -> SlotHandlers {
    let handlers = SlotHandlers(SlotListeners(), .failure(.cancelled))
    for name in names {
      handlers.append(SlotListeners(completion: { [calls] _ in calls.names.append(name) }))
    }
    return handlers
  }

  /// Performs all effects and returns their number.
  private func perform(_ pending: inout PendingCompletions) -> Int {
    var count = 0
    while let effect = pending.next() {
      count += 1
      if case .complete(let handlers) = effect { handlers.callNext() }
    }
    return count
  }

  @Test func joinedCompletionsAreCalledOneByOne() {
    var pending = PendingCompletions()
    pending.add(handlers("a", "b"))

    #expect(perform(&pending) == 2)
    #expect(calls.names == ["a", "b"])
  }

  @Test func calledHandlersAreReusedUnlessATaskRefersToThem() throws {
    var pending = PendingCompletions()
    func show(_ name: String) throws -> SlotHandlers {
      let listeners = SlotListeners(completion: { [calls] _ in calls.names.append(name) })
      let made = pending.handlers(listeners)
      let handlers = try #require(made)
      handlers.settle(.failure(.cancelled))
      pending.add(handlers)
      #expect(perform(&pending) == 1)
      return handlers
    }

    let first = ObjectIdentifier(try show("a"))
    let second = try show("b")
    #expect(ObjectIdentifier(second) == first)
    let third = try show("c")
    #expect(third !== second, "the second handlers are in use")
    #expect(calls.names == ["a", "b", "c"])
    let none = pending.handlers(SlotListeners())
    #expect(none == nil)
  }

  @Test func scheduledCompletionsAreCalledBeforeTheNextLoad() {
    var pending = PendingCompletions()
    pending.postpone(handlers("postponed"))
    pending.expect(handlers("cancelled"))
    pending.add(handlers("waiting"), afterTransitionTo: .solid(width: 1, height: 1))
    #expect(perform(&pending) == 2, "a task and a transition")
    #expect(calls.names == [])

    pending.callAll()

    #expect(perform(&pending) == 3)
    #expect(calls.names == ["postponed", "cancelled", "waiting"])
  }

  @Test func completionsCalledElsewhereAreNotCalledAgain() {
    var pending = PendingCompletions()
    let expected = handlers("a")
    pending.expect(expected)
    expected.finish(.failure(.emptyBody))

    pending.callAll()

    #expect(perform(&pending) == 0)
    #expect(calls.names == ["a"])
  }

  /// A second listener is called before the code of the first continues with another load.
  @Test func nestedCallsIncludeTheRestOfJoinedCompletions() {
    let calls = calls
    let handlers = SlotHandlers(SlotListeners(), .failure(.cancelled))
    handlers.append(
      SlotListeners(completion: { [weak handlers] _ in
        handlers?.call()
        calls.names.append("first")
      }))
    handlers.append(SlotListeners(completion: { _ in calls.names.append("second") }))

    handlers.call()

    #expect(calls.names == ["second", "first"])
    #expect(handlers.areCalled)
  }

  @Test func handlersAreReleasedWithoutACompletion() {
    weak var captured: Calls?
    let handlers: SlotHandlers
    do {
      let object = Calls()
      captured = object
      handlers = SlotHandlers(SlotListeners(progress: { _ in object.names.append("progress") }))
    }
    #expect(captured != nil)

    handlers.finish(.failure(.cancelled))

    #expect(captured == nil)
    #expect(handlers.areCalled)
  }
}
