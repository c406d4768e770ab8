import Testing
import VitrineGraphics

@testable import VitrineWidgets

@Suite("Pages: preparation and wheel")
struct PagePreparationTests {
  @Test func eachPageIsPreparedAndDiscardedOnce() {
    var preparation = PagePreparation()
    #expect(preparation.move(to: [1, 2, 0]) == .init(discarded: [], prepared: [1, 2, 0]))
    #expect(preparation.move(to: [2, 1, 0]) == .init())
    #expect(preparation.move(to: [2, 3, 1]) == .init(discarded: [0], prepared: [3]))

    #expect(preparation.reset() == [1, 2, 3])
    #expect(preparation.reset() == [])
  }

  @Test func removedPagesAreDiscardedAndTheOthersRenumbered() {
    var preparation = PagePreparation()
    _ = preparation.move(to: [1, 2, 0])
    #expect(preparation.apply(ListChanges(from: [10, 11, 12, 13], to: [9, 10, 12, 13])) == [1])

    // Pages 10 and 12 have the numbers 1 and 2.
    #expect(preparation.move(to: [1, 2, 0]) == .init(discarded: [], prepared: [0]))
  }

  @Test func wheelTurnsOnePagePerStepAndPause() {
    var wheel = PageWheel()
    #expect(wheel.pages(for: -1, at: 1) == 1)
    #expect(wheel.pages(for: -1, at: 1.1) == 0)
    #expect(wheel.pages(for: 1, at: 2) == -1)

    #expect(wheel.pages(for: 3, at: 3) == -1)
  }

  @Test func fractionsOfATouchpadAddUpUntilItRests() {
    var wheel = PageWheel()
    #expect((0..<3).map { wheel.pages(for: -0.3, at: 1 + Double($0) / 100) } == [0, 0, 0])
    #expect(wheel.pages(for: -0.3, at: 1.03) == 1)
    #expect(wheel.pages(for: -0.9, at: 2) == 0)
    #expect(wheel.pages(for: -0.9, at: 3) == 0)

    #expect(wheel.pages(for: 0.5, at: 3.1) == 0)
    #expect(wheel.pages(for: 0.5, at: 3.2) == -1)
  }
}
