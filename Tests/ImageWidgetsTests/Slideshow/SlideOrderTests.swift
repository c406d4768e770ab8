import Testing
import VitrineGraphics

@testable import VitrineImageWidgets

/// The orders of a slideshow.
struct SlideOrderTests {
  /// Shows `count` slides, none of which follows itself, and returns them.
  private func shown(
    _ count: Int, of sequence: inout some SlideSequence, after last: Int? = nil, by step: SlideStep = .next
  ) -> [Int] {
    var last = last
    return (0..<count).map { _ in
      let shown = last
      let slide = sequence.candidate(for: step) { $0 != shown } ?? -1
      sequence.didShow(slide, by: step)
      last = slide
      return slide
    }
  }

  private func shuffled(_ count: Int, seed: UInt64) -> ShuffledSequence {
    ShuffledSequence(count: count, random: SlideRandom(seed: seed))
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func shuffledOrderShowsEachSlideOnceBeforeOneIsRepeated(seed: UInt64) {
    var sequence = shuffled(7, seed: seed)

    let slides = shown(70, of: &sequence)

    for round in 0..<10 { #expect(Set(slides[(round * 7)..<(round * 7 + 7)]).count == 7) }
    #expect(zip(slides, slides.dropFirst()).allSatisfy { $0 != $1 })
  }

  @Test func equalSeedsMakeEqualOrders() {
    var (a, b, c) = (shuffled(100, seed: 5), shuffled(100, seed: 5), shuffled(100, seed: 6))

    let slides = shown(150, of: &a)

    #expect(slides == shown(150, of: &b))
    #expect(slides != shown(150, of: &c))
  }

  @Test func slideThatIsNotAvailableComesLaterInTheRound() {
    var sequence = shuffled(5, seed: 1)
    let first = sequence.candidate(for: .next) { _ in true }

    let other = sequence.candidate(for: .next) { $0 != first }
    sequence.didShow(other ?? -1, by: .next)
    let others = shown(4, of: &sequence, after: other)

    #expect(other != first)
    #expect(Set(others + [other]) == [0, 1, 2, 3, 4])
  }

  @Test func slideThatIsShownAgainIsOnceInTheHistory() {
    var sequence = shuffled(9, seed: 2)
    let slides = shown(3, of: &sequence)

    sequence.didShow(slides[2], by: .next)

    #expect(shown(2, of: &sequence, after: slides[2], by: .previous) == [slides[1], slides[0]])
    #expect(shown(2, of: &sequence, after: slides[0]) == [slides[1], slides[2]])
  }

  @Test func stepsBackAndForwardShowTheSameSlides() {
    var sequence = shuffled(9, seed: 2)
    let slides = shown(6, of: &sequence)

    let back = shown(5, of: &sequence, after: slides.last, by: .previous)
    let forward = shown(5, of: &sequence, after: back.last)

    #expect(back == slides.dropLast().reversed())
    #expect(forward == Array(slides.dropFirst()))
    #expect(sequence.candidate(for: .previous) { _ in true } == slides[4])
  }

  @Test func randomOrderHasNoSlideBeforeTheFirstOne() {
    var sequence = shuffled(9, seed: 2)
    let first = shown(1, of: &sequence)

    #expect(sequence.candidate(for: .previous) { $0 != first[0] } == nil)
  }

  @Test func newSlidesJoinTheRound() {
    var sequence = shuffled(4, seed: 3)
    let begun = shown(2, of: &sequence)
    let rest = Set(0..<4).subtracting(begun)

    sequence.apply(ListChanges(from: [0, 1, 2, 3], to: [0, 1, 2, 3, 4, 5])) { _ in 1 }

    #expect(Set(shown(4, of: &sequence, after: begun.last)) == rest.union([4, 5]))
  }

  @Test func weightedOrderFollowsTheWeights() {
    let weights = [0, 1, 2, 5, -1, .nan]
    var sequence = WeightedSequence(count: 6, random: SlideRandom(seed: 4)) { weights[$0] }

    let slides = shown(8000, of: &sequence)
    let counts = weights.indices.map { slide in slides.count { $0 == slide } }

    #expect(zip(slides, slides.dropFirst()).allSatisfy { $0 != $1 })
    #expect(counts[0] == 0 && counts[4] == 0 && counts[5] == 0)
    #expect(counts[1] < counts[2] && counts[2] < counts[3])
    #expect(counts[1] > 800)
  }

  @Test func slidesWithoutWeightsAreEqual() {
    var sequence = WeightedSequence(count: 3, random: SlideRandom(seed: 4)) { _ in 0 }

    let slides = shown(3000, of: &sequence)

    for slide in 0..<3 { #expect((800...1200).contains(slides.count { $0 == slide })) }
  }

  @Test func listOrderGoesOnAfterARemovedSlide() {
    var sequence = ListSequence(count: 4)
    _ = shown(3, of: &sequence)

    sequence.apply(ListChanges(from: ["a", "b", "c", "d"], to: ["x", "a", "b", "d"])) { _ in 1 }

    #expect(sequence.candidate(for: .next) { _ in true } == 3)
  }

  @Test func emptyOrdersHaveNoSlides() {
    for order in [SlideOrder.list, .shuffled(seed: 1), .weighted(seed: 1)] {
      var sequence = order.sequence(count: 0) { _ in 1 }
      #expect(sequence.candidate(for: .next) { _ in true } == nil)
      #expect(sequence.candidate(for: .previous) { _ in true } == nil)
    }
  }
}
