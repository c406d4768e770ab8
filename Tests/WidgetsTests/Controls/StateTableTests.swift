import Testing

@testable import VitrineWidgets

/// The choice of an entry for a state of a button.
@Suite struct StateTableTests {
  @Test func focusFallsBackToTheEntryWithoutFocus() {
    var table = StateTable<String>()
    table[.normal] = "normal"
    table[.highlighted] = "highlighted"

    #expect(table.value(for: [.highlighted, .focused]) == "highlighted")
    #expect(table.value(for: .focused) == "normal")
    #expect(table.value(for: [.selected, .highlighted]) == "normal")
  }

  @Test func entryIsShownUnlessAMoreSpecificEntryExists() {
    var table = StateTable<String>()
    #expect(table.shows(.highlighted, in: [.highlighted, .focused]))
    #expect(table.shows(.normal, in: [.highlighted, .focused]))

    table[.highlighted] = "highlighted"
    #expect(!table.shows(.normal, in: [.highlighted, .focused]))
    #expect(table.shows(.highlighted, in: [.highlighted, .focused]))

    table[[.highlighted, .focused]] = "both"
    #expect(!table.shows(.highlighted, in: [.highlighted, .focused]))
    #expect(!table.shows(.selected, in: .normal))
  }
}
