import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The order of regions whose rows are decompressed one after another.
@Suite(.timeLimit(.minutes(5))) struct RegionQueueTests {
  /// Returns a tile of 256 pixels, with the overlap.
  private static func tile(_ column: Int, _ row: Int, reduction: Int = 1) -> ImageRegion {
    ImageRegion(reduction: reduction, x: column * 256, y: row * 256, width: 260, height: 260)
  }

  private let queue = SharedQueue()

  @Test func regionsOfTheSameRowsAreOneJobAndHigherRowsComeFirst() throws {
    let middle = [(2, 1), (1, 1), (3, 1)].map { queue.add(Self.tile($0.0, $0.1)) }
    let below = queue.add(Self.tile(2, 2))
    let above = queue.add(Self.tile(2, 0))

    let first = try #require(queue.next())
    #expect(first.band.regions == [Self.tile(2, 0)])
    #expect(queue.next() == nil, "one job at a time")
    #expect(queue.end(first.number) == [above])
    let second = try #require(queue.next())
    #expect(second.band.regions == [Self.tile(2, 1), Self.tile(1, 1), Self.tile(3, 1)])
    #expect(second.band.whole == ImageRegion(reduction: 1, x: 256, y: 256, width: 772, height: 260))
    #expect(queue.end(second.number) == middle)
    let third = try #require(queue.next())
    #expect(queue.end(third.number) == [below])
    #expect(queue.next() == nil)
  }

  @Test func regionsOfOtherScalesAreOtherJobs() throws {
    _ = queue.add(ImageRegion(reduction: 1, x: 0, y: 0, width: 10, height: 20))
    _ = queue.add(ImageRegion(reduction: 2, x: 0, y: 0, width: 10, height: 10))

    let first = try #require(queue.next())
    #expect(first.band.regions.map(\.reduction) == [1])
    _ = queue.end(first.number)
    #expect(queue.next()?.band.regions.map(\.reduction) == [2])
  }

  @Test func jobHasTheHighestPriorityOfItsRegions() {
    _ = queue.add(Self.tile(0, 0), priority: .low)
    _ = queue.add(Self.tile(1, 0), priority: .veryHigh)
    _ = queue.add(Self.tile(2, 0), priority: .normal)

    #expect(queue.next()?.priority == .veryHigh)
  }

  @Test func sizeOfAJobIsLimitedUnlessItIsOneRegion() throws {
    for column in 0..<20 { _ = queue.add(Self.tile(column, 0)) }
    _ = queue.add(ImageRegion(reduction: 1, x: 0, y: 300, width: 30_000, height: 260))

    let first = try #require(queue.next())
    #expect(first.band.regions == (0..<15).map { Self.tile($0, 0) })
    #expect(first.band.whole.byteCount <= RegionQueue.bandBytes)
    #expect(first.band.copiedBytes == 15 * 260 * 260 * 4)
    _ = queue.end(first.number)
    let second = try #require(queue.next())
    #expect(second.band.regions == (15..<20).map { Self.tile($0, 0) })
    _ = queue.end(second.number)
    #expect(queue.next()?.band.whole.width == 30_000)
  }

  @Test func farRegionsAreNotDecodedWithAllBetweenThem() throws {
    _ = queue.add(Self.tile(0, 0))
    _ = queue.add(Self.tile(10, 0))
    _ = queue.add(Self.tile(1, 0))

    let first = try #require(queue.next())
    #expect(first.band.regions == [Self.tile(0, 0), Self.tile(1, 0)])
    _ = queue.end(first.number)
    #expect(queue.next()?.band.regions == [Self.tile(10, 0)])
  }

  @Test func cancelledRegionIsLeftOut() throws {
    let numbers = (0..<4).map { queue.add(Self.tile($0, 0)) }
    #expect(!queue.cancel(numbers[0]))

    let job = try #require(queue.next())
    #expect(job.band.regions == (1..<4).map { Self.tile($0, 0) })
    #expect(!queue.cancel(numbers[2]), "the other regions are still wanted")
    #expect(queue.end(job.number) == [numbers[1], nil, numbers[3]])
    #expect(!queue.cancel(numbers[1]), "too late")
  }

  @Test func jobWhoseRegionsAreAllCancelledMakesWayForTheNext() throws {
    let numbers = (0..<2).map { queue.add(Self.tile($0, 0)) }
    let cancelled = try #require(queue.next())
    let again = queue.add(Self.tile(0, 0))
    #expect(queue.next() == nil)

    #expect(!queue.cancel(numbers[1]))
    #expect(queue.cancel(numbers[0]))

    let job = try #require(queue.next())
    #expect(queue.end(cancelled.number).isEmpty, "the late end of a cancelled job")
    #expect(!queue.split(cancelled.number))
    #expect(queue.end(job.number) == [again])
  }

  @Test func jobThatIsTooLargeIsSplit() throws {
    let numbers = (0..<3).map { queue.add(Self.tile($0, 1)) }
    let large = try #require(queue.next())
    _ = queue.cancel(numbers[1])
    #expect(queue.split(large.number))
    #expect(queue.end(large.number).isEmpty)

    let beside = queue.add(Self.tile(3, 1))
    var ended: [Int?] = []
    while let job = queue.next() {
      #expect(job.band.regions.count == 1)
      #expect(job.band.copiedBytes == 0, "the pixels are not copied")
      #expect(!queue.split(job.number), "one region cannot be split")
      ended += queue.end(job.number)
    }
    #expect(Set(ended) == [numbers[0], numbers[2], beside])
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func eachRegionIsCancelledOrEndsOnce(seed: UInt64) {
    var random = SplitMix(state: seed)
    var (open, ended): (Set<Int>, [Int]) = ([], [])
    var running: RegionQueue.Job?
    var largestNumber = 0

    for _ in 0..<2000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        let number = queue.add(
          Self.tile(
            .random(in: 0..<6, using: &random), .random(in: 0..<4, using: &random),
            reduction: Bool.random(using: &random) ? 1 : 2))
        #expect(number > largestNumber)
        largestNumber = number
        open.insert(number)
      case 4..<6:
        guard let number = open.sorted().randomElement(using: &random) else { continue }
        open.remove(number)
        if queue.cancel(number) { running = nil }
      case 6:
        if let job = running, queue.split(job.number) { running = nil }
      default:
        if let job = running {
          let numbers = queue.end(job.number)
          #expect(numbers.count == job.band.regions.count)
          ended += numbers.compactMap(\.self)
          open.subtract(numbers.compactMap(\.self))
        }
        running = queue.next()
        #expect((running == nil) == open.isEmpty)
      }
    }

    #expect(Set(ended).count == ended.count)
  }
}

/// A queue that macros of tests change.
private final class SharedQueue {
  private var queue = RegionQueue()

  func add(_ region: ImageRegion, priority: ImageRequest.Priority = .high) -> Int {
    let rows = region.y * region.reduction..<(region.y + region.height) * region.reduction
    return queue.add(region, rows: rows, priority: priority)
  }

  func next() -> RegionQueue.Job? { queue.next() }
  func end(_ job: Int) -> [Int?] { queue.end(job) }
  func cancel(_ number: Int) -> Bool { queue.cancel(number) }
  func split(_ job: Int) -> Bool { queue.split(job) }
}
