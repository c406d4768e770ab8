import Testing
import VitrineConcurrency

/// The list of observers.
@Suite struct ObserverListTests {
  @Test func handlersAreListedInTheOrderOfAdding() {
    var list = ObserverList<String>()
    for name in ["a", "b", "c"] { _ = list.add(name) }

    #expect(list.entries.map(\.handler) == ["a", "b", "c"])
    #expect(list.entries.map(\.number) == [1, 2, 3])
  }

  @Test func removedHandlerIsReturnedOnce() {
    var list = ObserverList<String>()
    let number = list.add("a")

    let removed = (list.remove(number), list.remove(number))

    #expect(removed == ("a", nil))
    #expect(list[number] == nil)
    #expect(list.isEmpty)
  }

  @Test func numbersAreNotUsedAgain() {
    var list = ObserverList<String>()
    let first = list.add("a")
    list.removeAll()

    let second = list.add("b")

    #expect(second != first)
    #expect(list[first] == nil && list[second] == "b")
  }

  @Test func handlersThatMatchAConditionAreRemoved() {
    var list = ObserverList<String>()
    for name in ["a", "b", "c"] { _ = list.add(name) }

    list.removeAll { $0 != "b" }

    #expect(list.entries.map(\.handler) == ["b"])
    #expect(list.entries.map(\.number) == [2])
  }
}
