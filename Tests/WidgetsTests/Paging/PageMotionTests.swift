import Testing
import VitrineGraphics

@testable import VitrineWidgets

@Suite("Pages: motion")
struct PageMotionTests {
  /// Returns pages of 400 points at rest.
  private func motion(_ count: Int, at page: Int = 0, loops: Bool = false) -> PageMotion {
    var motion = PageMotion()
    motion.resize(pageWidth: 400, spacing: 0)
    motion.setLoops(loops)
    motion.setCount(count)
    motion.show(page, animated: false, at: 0)
    return motion
  }

  /// Drags a finger by a distance and lifts it.
  private func drag(_ motion: inout PageMotion, by distance: Double, velocity: Double = 0, at now: Double = 0)
  {
    motion.beginDrag(at: 1000)
    motion.drag(to: 1000 + distance)
    motion.endDrag(velocity: velocity, at: now)
  }

  private func settle(_ motion: inout PageMotion, from now: Double = 0) {
    for step in 1...300 { motion.advance(to: now + Double(step) / 60) }
  }

  // MARK: Release

  @Test(arguments: [
    (-190.0, 0.0, 2), (-210, 0, 3), (190, 0, 2), (210, 0, 1),
    (-50, -299, 2), (-50, -300, 3), (50, 300, 1), (-150, 500, 2), (150, -500, 2), (-390, -3000, 3),
  ])
  func releaseLeadsToTheNearestPageOrTheNextInTheDirectionOfAFlick(
    distance: Double, velocity: Double, page: Int
  ) {
    var motion = motion(5, at: 2)
    drag(&motion, by: distance, velocity: velocity)
    #expect(motion.page == page)

    settle(&motion)
    #expect(motion.position == Double(page))
    #expect(!motion.isSettling)
  }

  @Test func dragReachesTheNeighborsOnly() {
    var motion = motion(5, at: 2)
    motion.beginDrag(at: 0)
    motion.drag(to: -1500)
    #expect(motion.position == 3)
    motion.endDrag(velocity: -4000, at: 0)

    #expect(motion.page == 3)
  }

  @Test func endsPullLikeARubberBandAndSpringBack() {
    var motion = motion(3)
    motion.beginDrag(at: 0)
    motion.drag(to: 100)
    #expect(motion.position == -RubberBand.shown(0.25, length: 1))
    motion.endDrag(velocity: 2000, at: 0)
    #expect(motion.page == 0)
    settle(&motion)

    #expect(motion.position == 0)
  }

  @Test func cancelledDragReturnsToItsPage() {
    var motion = motion(3, at: 1)
    motion.beginDrag(at: 0)
    motion.drag(to: -300)
    motion.cancelDrag(at: 0)
    settle(&motion)

    #expect(motion.page == 1)
    #expect(motion.position == 1)
  }

  @Test func fastFlickNeverShowsThePageBeyondTheNextOne() {
    var motion = motion(5, at: 1)
    drag(&motion, by: -100, velocity: -12_000)
    var positions: [Double] = []
    for step in 1...120 {
      motion.advance(to: Double(step) / 60)
      positions.append(motion.position)
    }

    #expect(positions.allSatisfy { $0 <= 2 })
    #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(positions.last == 2)
  }

  // MARK: Catching

  @Test func fingerCatchesMovingPagesWithoutAJump() {
    var motion = motion(5, at: 1)
    drag(&motion, by: -100, velocity: -400)
    motion.advance(to: 0.1)
    let caught = motion.position
    motion.beginDrag(at: 50)
    #expect(motion.position == caught)
    motion.drag(to: 90)

    #expect(abs(motion.position - (caught - 0.1)) < 1e-9)
    #expect((1.0...2).contains(caught))
  }

  @Test func secondFlickBeforeThePageHasArrivedLeadsOnePageFurther() {
    var motion = motion(5)
    drag(&motion, by: -100, velocity: -400)
    motion.advance(to: 0.05)
    #expect(motion.position < 1)
    drag(&motion, by: -40, velocity: -400, at: 0.1)

    #expect(motion.page == 2)
  }

  @Test func flickBackOnMovingPagesReturns() {
    var motion = motion(5)
    drag(&motion, by: -100, velocity: -400)
    motion.advance(to: 0.05)
    drag(&motion, by: 40, velocity: 400, at: 0.1)

    #expect(motion.page == 0)
  }

  @Test func dragBackAndForthWithAFlickStaysOnThePage() {
    var motion = motion(5, at: 2)
    motion.beginDrag(at: 0)
    motion.drag(to: 200)
    motion.drag(to: 150)
    motion.endDrag(velocity: -600, at: 0)

    #expect(motion.page == 2)
  }

  // MARK: Loops

  @Test func loopLeadsFromTheLastPageToTheFirstAndBack() {
    var motion = motion(3, at: 2, loops: true)
    drag(&motion, by: -100, velocity: -400)
    settle(&motion)
    #expect(motion.page == 0)
    #expect(motion.position == 0)
    drag(&motion, by: 100, velocity: 400)
    settle(&motion)

    #expect(motion.page == 2)
    #expect(motion.position == 2)
  }

  @Test func loopOfTwoPagesShowsTheOtherOneOnEitherSide() {
    var motion = motion(2, loops: true)
    #expect(motion.placements(neighbors: 1) == [.init(slot: 0, page: 0), .init(slot: 1, page: 1)])
    motion.beginDrag(at: 0)
    motion.drag(to: 40)
    #expect(motion.placements(neighbors: 1) == [.init(slot: 0, page: 0), .init(slot: -1, page: 1)])
    motion.drag(to: -40)
    #expect(motion.placements(neighbors: 1) == [.init(slot: 0, page: 0), .init(slot: 1, page: 1)])
    motion.drag(to: 40)
    motion.endDrag(velocity: 400, at: 0)
    settle(&motion)

    #expect(motion.page == 1)
    #expect(motion.position == 1)
  }

  @Test(arguments: [0, 1])
  func fewerThanTwoPagesDoNotMove(count: Int) {
    for loops in [false, true] {
      var motion = motion(count, loops: loops)
      drag(&motion, by: -300, velocity: -3000)
      let turned = [motion.turn(by: 1, animated: true, at: 0), motion.turn(by: -1, animated: true, at: 0)]

      #expect(turned == [false, false])
      #expect(motion.position == 0)
      #expect(motion.placements(neighbors: 2).map(\.page) == Array(0..<count))
    }
  }

  @Test func positionsOfALoopStayNearZero() {
    var motion = motion(3, loops: true)
    for turn in 0..<100 {
      let hasTurned = motion.turn(by: -1, animated: true, at: Double(turn) * 10)
      #expect(hasTurned)
      settle(&motion, from: Double(turn) * 10)
      #expect(motion.slot == motion.page)
    }

    #expect(motion.page == 2)
  }

  // MARK: Far pages

  @Test func farPageComesInAsTheNextOne() {
    var motion = motion(50, at: 3)
    motion.show(40, animated: true, at: 0)
    #expect(motion.page == 40)
    #expect(motion.position == 39)
    #expect(
      motion.placements(neighbors: 1)
        == [.init(slot: 39, page: 3), .init(slot: 40, page: 40), .init(slot: 41, page: 41)])
    settle(&motion)

    #expect(motion.position == 40)
    #expect(motion.placements(neighbors: 1).map(\.page) == [40, 41, 39])
  }

  @Test func loopTakesTheShorterWay() {
    var motion = motion(10, at: 1, loops: true)
    motion.show(9, animated: true, at: 0)

    #expect(motion.slot < 1)
    settle(&motion)
    #expect(motion.page == 9)
  }

  @Test func farPageThatIsDraggedBackGivesTheOldPageAgain() {
    var motion = motion(50, at: 3)
    motion.show(40, animated: true, at: 0)
    motion.advance(to: 0.05)
    drag(&motion, by: 60, velocity: 500, at: 0.1)
    settle(&motion, from: 0.1)

    #expect(motion.page == 3)
    #expect(motion.position == 3)
    #expect(motion.placements(neighbors: 1).map(\.page) == [3, 4, 2])
  }

  @Test func heldKeyDoesNotRunAheadOfThePages() {
    var motion = motion(50)
    let turned = (0..<10).map { _ in motion.turn(by: 1, animated: true, at: 0) }
    #expect(turned.allSatisfy { $0 })
    #expect(motion.page == 2)
    settle(&motion)

    _ = motion.turn(by: 1, animated: true, at: 10)
    #expect(motion.page == 3)
  }

  // MARK: Changes

  @Test func resizeDuringADragKeepsThePageAndTheFinger() {
    var motion = motion(5, at: 2)
    motion.beginDrag(at: 500)
    motion.drag(to: 400)
    #expect(motion.position == 2.25)
    motion.resize(pageWidth: 800, spacing: 0)
    #expect(motion.position == 2.25)
    // The finger has other coordinates after a rotation.
    motion.drag(to: 90)
    #expect(motion.position == 2.25)
    motion.drag(to: 10)

    #expect(motion.position == 2.35)
  }

  @Test func resizeDuringAMotionLeadsToTheSamePage() {
    var motion = motion(5, at: 2)
    drag(&motion, by: -100, velocity: -400)
    motion.advance(to: 0.05)
    motion.resize(pageWidth: 300, spacing: 20)
    settle(&motion)

    #expect(motion.page == 3)
    #expect(motion.position == 3)
  }

  @Test func insertedPagesMoveADragAlong() {
    var motion = motion(5, at: 2)
    motion.beginDrag(at: 500)
    motion.drag(to: 400)
    motion.apply(ListChanges(from: [0, 1, 2, 3, 4], to: [8, 9, 0, 1, 2, 3, 4]))
    #expect(motion.page == 4)
    #expect(motion.position == 4.25)
    motion.drag(to: 400)
    motion.drag(to: 360)
    #expect(motion.position == 4.35)
    motion.endDrag(velocity: -400, at: 0)
    settle(&motion)

    #expect(motion.page == 5)
  }

  @Test func removedPageIsReplacedByTheNextOrElseThePreviousOne() {
    var motion = motion(4, at: 1)
    motion.apply(ListChanges(from: [0, 1, 2, 3], to: [0, 3]))
    #expect(motion.page == 1)
    motion.apply(ListChanges(from: [0, 3], to: [0]))
    #expect(motion.page == 0)
    motion.apply(ListChanges(from: [0], to: []))

    #expect(motion.page == nil)
    #expect(motion.placements(neighbors: 1) == [])
  }

  @Test func fewerPagesShowTheLastOneAndEndADrag() {
    var motion = motion(5, at: 4)
    motion.beginDrag(at: 0)
    motion.drag(to: 40)
    motion.setCount(2)

    #expect(motion.page == 1)
    #expect(motion.position == 1)
    #expect(!motion.isDragging)
  }
}
