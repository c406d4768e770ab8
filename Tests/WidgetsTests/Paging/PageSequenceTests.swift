import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

/// Random drags, keys, resizes and changes of the list.
@Suite("Pages: random input")
struct PageSequenceTests {
  @Test(arguments: 0..<40)
  func pagesStayWithinTheirLimits(seed: Int) {
    var random = SplitMix(state: UInt64(seed))
    var motion = PageMotion()
    var pages = Array(0..<Int.random(in: 0...6, using: &random))
    var nextPage = 100
    var now = 0.0
    var finger = 200.0
    motion.setLoops(Bool.random(using: &random))
    motion.resize(pageWidth: 400, spacing: 10)
    motion.setCount(pages.count)

    for _ in 0..<1500 {
      now += Double.random(in: 0...0.1, using: &random)
      let before = motion.position
      switch Int.random(in: 0..<12, using: &random) {
      case 0:
        finger = Double.random(in: 0...400, using: &random)
        motion.beginDrag(at: finger)
        #expect(motion.position == before, "a finger that comes down does not move the pages")
      case 1...5:
        finger += Double.random(in: -80...80, using: &random)
        motion.drag(to: finger)
      case 6: motion.endDrag(velocity: Double.random(in: -2000...2000, using: &random), at: now)
      case 7: motion.cancelDrag(at: now)
      case 8: _ = motion.turn(by: Bool.random(using: &random) ? 1 : -1, animated: true, at: now)
      case 9: motion.show(Int.random(in: 0...6, using: &random), animated: true, at: now)
      case 10:
        motion.resize(pageWidth: Double.random(in: 0...900, using: &random), spacing: 10)
        #expect(motion.position == before)
      default:
        var changed = pages.shuffled(using: &random)
        if Bool.random(using: &random), !changed.isEmpty { changed.removeLast() }
        if Bool.random(using: &random) {
          changed.append(nextPage)
          nextPage += 1
        }
        motion.apply(ListChanges(from: pages, to: changed))
        pages = changed
      }
      motion.advance(to: now)

      #expect(motion.position.isFinite)
      #expect((motion.page == nil) == pages.isEmpty)
      let placements = motion.placements(neighbors: 1)
      #expect(Set(placements.map(\.page)).count == placements.count)
      #expect(Set(placements.map(\.slot)).count == placements.count)
      #expect(placements.allSatisfy { pages.indices.contains($0.page) })
      #expect(pages.isEmpty || placements.contains { abs(Double($0.slot) - motion.position) <= 1 })
    }

    motion.cancelDrag(at: now)
    for step in 1...600 { motion.advance(to: now + Double(step) / 60) }
    #expect(!motion.isSettling)
    #expect(motion.position == Double(motion.page ?? 0))
  }
}
