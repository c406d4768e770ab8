import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The tree of fetches, decodes, processed images and callers.
struct StageTreeTests {
  private static let small = DecodeTarget(width: 8, height: 8)
  private let bytes = FetchedBytes(body: [1, 2, 3], response: nil)

  @Test func callersWithEqualKeysShareStages() {
    var tree = StageTree()
    let first = tree.join(Caller(request()), fetch: nil)
    let same = tree.join(Caller(request()), fetch: first.fetch)
    let named = tree.join(Caller(request(), "name"), fetch: first.fetch)
    let small = tree.join(Caller(request(target: Self.small)), fetch: first.fetch)

    #expect(first.isNewFetch && first.isNewDecode && first.isNewProcessedImage)
    #expect(!same.isNewFetch && !same.isNewDecode && !same.isNewProcessedImage)
    #expect(named.decode == first.decode && named.isNewProcessedImage)
    #expect(small.fetch == first.fetch && small.isNewDecode)
    #expect(tree.tasks(of: first.fetch) == [first.task, same.task, named.task, small.task])
    #expect(tree.waiterCount == 4)
  }

  @Test func stagesAreRemovedFromTheLeaves() {
    var tree = StageTree()
    let first = tree.join(Caller(request()), fetch: nil)
    let second = tree.join(Caller(request()), fetch: first.fetch)

    #expect(tree.leave(first.task)?.processedImage == first.processedImage)
    #expect(tree.removeIfUnwanted(first.processedImage) == nil, "another caller waits")
    #expect(tree.leave(second.task) != nil)
    #expect(tree.leave(second.task) == nil)
    #expect(tree.removeIfUnwanted(first.fetch) == nil, "the fetch has a decode")
    let image = tree.removeIfUnwanted(first.processedImage)
    #expect(image?.decode == first.decode && image?.wasTransforming == false)
    let decode = tree.removeIfUnwanted(first.decode)
    #expect(decode?.fetch == first.fetch && decode?.wasRunning == false)
    #expect(tree.removeIfUnwanted(first.fetch) != nil)
    #expect(tree.isEmpty)
    #expect(tree.fetch(FetchKey(request: request().identity, isCacheOnly: false)) == nil)
  }

  @Test func removedRunningDecodeNoLongerCountsItsBytes() {
    var tree = StageTree()
    let place = tree.join(Caller(request()), fetch: nil)
    #expect(tree.beginDecode(place.decode) == nil, "no bytes have been received")
    tree.setPhase(.received(bytes), of: place.fetch)
    #expect(tree.beginDecode(place.decode) == bytes.body)
    #expect(tree.beginDecode(place.decode) == nil, "the decode is running")
    #expect(tree.undecodedBytes == 3)

    _ = tree.leave(place.task)
    _ = tree.removeIfUnwanted(place.processedImage)
    let wasRunning = tree.removeIfUnwanted(place.decode)?.wasRunning
    #expect(wasRunning == true)
    #expect(tree.undecodedBytes == 0)
  }

  @Test func bytesCountUntilTheLastDecodeEnds() {
    var tree = StageTree()
    let whole = tree.join(Caller(request()), fetch: nil)
    let small = tree.join(Caller(request(target: Self.small)), fetch: whole.fetch)
    tree.setPhase(.received(bytes), of: whole.fetch)
    _ = tree.beginDecode(whole.decode)
    _ = tree.beginDecode(small.decode)

    #expect(tree.endDecode(whole.decode) != nil)
    #expect(tree.endDecode(whole.decode) == nil)
    #expect(tree.undecodedBytes == 3)
    #expect(tree.endDecode(small.decode) != nil)
    #expect(tree.undecodedBytes == 0)
  }

  @Test func stagesHaveTheHighestPriorityOfTheirCallers() {
    var tree = StageTree()
    let low = tree.join(Caller(request(priority: .low)), fetch: nil)
    #expect(low.demand.fetch?.priority == .low)
    let high = tree.join(Caller(request(priority: .high)), fetch: low.fetch)
    #expect(high.demand.fetch?.priority == .high)
    #expect(high.demand.decode == nil, "no decode is running")

    #expect(tree.setPriority(.high, of: high.task) == nil)
    #expect(tree.setPaused(true, high.task)?.fetch?.priority == .low)
    #expect(tree.setPriority(.veryHigh, of: high.task)?.fetch == nil, "a paused caller has no demand")
    #expect(tree.setPaused(false, high.task)?.fetch?.priority == .veryHigh)
    #expect(tree.leave(high.task)?.demand.fetch?.priority == .low)
  }

  @Test func movedCallerKeepsItsNumber() throws {
    var tree = StageTree()
    let place = tree.join(Caller(request(), "name"), fetch: nil)
    let added = tree.addFetchOfCopy(of: place.fetch)
    let stored = try #require(added)

    let from = tree.move(place.task, to: stored)?.from
    #expect(from == place.processedImage)
    #expect(tree.tasks(of: stored) == [place.task])
    #expect(tree.tasks(of: place.fetch) == [])
    #expect(tree[stored]?.isCacheOnly == true)
    #expect(tree[place.fetch]?.overtaken == stored, "the server's response is newer than the stored one")
  }

  @Test func laterRequestsJoinUnderTheNewIdentity() {
    var tree = StageTree()
    let place = tree.join(Caller(request()), fetch: nil)
    let other = request("b.jpg").identity
    tree.setIdentity(other, of: place.fetch)

    #expect(tree.fetch(FetchKey(request: request().identity, isCacheOnly: false)) == nil)
    #expect(tree.fetch(FetchKey(request: other, isCacheOnly: false)) == place.fetch)
    let joined = tree.join(Caller(request("b.jpg")), fetch: place.fetch)
    #expect(joined.processedImage == place.processedImage)
  }

  @Test func fetchCannotTakeTheIdentityOfAnotherFetch() {
    var tree = StageTree()
    let place = tree.join(Caller(request()), fetch: nil)
    let other = tree.join(Caller(request("b.jpg")), fetch: nil)
    tree.setIdentity(request("b.jpg").identity, of: place.fetch)

    #expect(tree[place.fetch]?.request.identity == request().identity)
    #expect(tree.fetch(FetchKey(request: request("b.jpg").identity, isCacheOnly: false)) == other.fetch)
  }

  @Test func equalStagesAreFoundAmongSiblingsAfterTheFirstHasLeft() {
    var tree = StageTree()
    let whole = tree.join(Caller(request()), fetch: nil)
    let names = ["a", "b", "c"]
    let small = names.map { tree.join(Caller(request(target: Self.small), $0), fetch: whole.fetch) }
    remove(whole, from: &tree)
    remove(small[0], from: &tree)

    let again = names.map { tree.join(Caller(request(target: Self.small), $0), fetch: whole.fetch) }
    let wholeAgain = tree.join(Caller(request()), fetch: whole.fetch)

    #expect(again.map(\.decode) == small.map(\.decode))
    #expect(again.map(\.isNewProcessedImage) == [true, false, false])
    #expect(again[1].processedImage == small[1].processedImage)
    #expect(again[2].processedImage == small[2].processedImage)
    #expect(wholeAgain.isNewDecode)
    let last = tree.join(Caller(request(target: Self.small), "a"), fetch: whole.fetch)
    #expect(last.processedImage == again[0].processedImage)
  }

  @Test func allStagesOfAFetchTakeItsNewIdentity() {
    var tree = StageTree()
    let sizes = [nil, Self.small, DecodeTarget(width: 9, height: 9)]
    var places: [StagePlace] = []
    for size in sizes {
      for name in [nil, "a", "b"] {
        places.append(tree.join(Caller(request(target: size), name), fetch: places.first?.fetch))
      }
    }
    tree.setIdentity(request("b.jpg").identity, of: places[0].fetch)

    var joined: [StagePlace] = []
    for size in sizes {
      for name in [nil, "a", "b"] {
        joined.append(tree.join(Caller(request("b.jpg", target: size), name), fetch: places[0].fetch))
      }
    }

    #expect(joined.map(\.processedImage) == places.map(\.processedImage))
  }

  @Test func movedCallersJoinEqualStagesAmongSiblings() throws {
    var tree = StageTree()
    let names = ["a", "b", "c"]
    let old = tree.join(Caller(request()), fetch: nil)
    let callers = names.map { tree.join(Caller(request(target: Self.small), $0), fetch: old.fetch) }
    let added = tree.addFetchOfCopy(of: old.fetch)
    let stored = try #require(added)
    let there = tree.join(Caller(request(policy: .cacheOnly)), fetch: stored)
    let same = names.map {
      tree.join(Caller(request(policy: .cacheOnly, target: Self.small), $0), fetch: stored)
    }
    remove(there, from: &tree)
    tree.setIdentity(request("b.jpg").identity, of: old.fetch)
    tree.setIdentity(request("b.jpg").identity, of: stored)

    for caller in callers { _ = tree.move(caller.task, to: stored) }

    for (caller, same) in zip(callers, same) {
      #expect(tree.stages(of: caller.task)?.processedImage == same.processedImage)
    }
  }

  @Test func newerFetchKeepsTheKeyWhenTheOlderOneEnds() {
    var tree = StageTree()
    let older = tree.join(Caller(request()), fetch: nil)
    let newer = tree.join(Caller(request(policy: .reload)), fetch: nil)
    #expect(tree[newer.fetch]?.overtaken == older.fetch)

    _ = tree.leave(older.task)
    _ = tree.removeIfUnwanted(older.processedImage)
    _ = tree.removeIfUnwanted(older.decode)
    _ = tree.removeIfUnwanted(older.fetch)
    #expect(tree.fetch(FetchKey(request: request().identity, isCacheOnly: false)) == newer.fetch)
  }

  @Test func newImageReplacesOtherSizesOncePerFetch() {
    var tree = StageTree()
    let whole = tree.join(Caller(request(policy: .reload)), fetch: nil)
    let small = tree.join(Caller(request(target: Self.small)), fetch: whole.fetch)
    #expect(tree.replacesOtherSizes(small.processedImage, request()) == true)
    #expect(tree.replacesOtherSizes(whole.processedImage, request()) == false)
    let other = tree.join(Caller(request("b.jpg")), fetch: nil)
    #expect(tree.replacesOtherSizes(other.processedImage, request()) == false)
  }

  // MARK: Objects of the application

  private final class ObjectTransform: ImageTransform {
    let identifier = "object"

    func apply(to image: Image) -> Image { image }
  }

  /// Removes a caller, and the stages that no caller wants.
  private func remove(_ place: StagePlace, from tree: inout StageTree) {
    _ = tree.leave(place.task)
    _ = tree.removeIfUnwanted(place.processedImage)
    _ = tree.removeIfUnwanted(place.decode)
    _ = tree.removeIfUnwanted(place.fetch)
  }

  @Test func transformsOfRemovedStagesAreReleasedByTheCaller() {
    var tree = StageTree()
    weak var transform: ObjectTransform?
    func join() -> StagePlace {
      let object = ObjectTransform()
      transform = object
      return tree.join(Caller(request(transforms: [object])), fetch: nil)
    }
    let place = join()

    remove(place, from: &tree)

    #expect(tree.isEmpty && transform != nil)
    let count = tree.takeReleasedObjects().count
    #expect(count > 0 && transform == nil)
  }

  @Test func checkOfARemovedDecodeIsReleasedByTheCaller() {
    var tree = StageTree()
    weak var object: ObjectTransform?
    let whole = tree.join(Caller(request()), fetch: nil)
    func join(_ identifier: String) -> StagePlace {
      let held = ObjectTransform()
      object = object ?? held
      var request = request()
      request.decodes = false
      request.validator = DataValidator("check") { _ in _ = held.identifier }
      return tree.join(Caller(request, identifier), fetch: whole.fetch)
    }
    let (first, second) = (join("a"), join("b"))
    #expect(first.decode == second.decode)
    remove(first, from: &tree)
    _ = tree.takeReleasedObjects()

    remove(second, from: &tree)

    #expect(tree[second.decode] == nil && object != nil)
    let count = tree.takeReleasedObjects().count
    #expect(count > 0 && object == nil)
  }

  @Test func cacheWhoseSizesAFetchReplacedIsReleasedByTheCaller() {
    var tree = StageTree()
    weak var cache: MemoryImageCache?
    let whole = tree.join(Caller(request()), fetch: nil)
    func join() -> StagePlace {
      let other = MemoryImageCache()
      cache = other
      var request = request(policy: .reload)
      request.cache = .other(other)
      let place = tree.join(Caller(request), fetch: whole.fetch)
      _ = tree.replacesOtherSizes(place.processedImage, request)
      return place
    }
    let place = join()
    remove(place, from: &tree)
    _ = tree.takeReleasedObjects()
    #expect(cache != nil, "the fetch remembers the cache")

    remove(whole, from: &tree)

    #expect(tree.isEmpty && cache != nil)
    let count = tree.takeReleasedObjects().count
    #expect(count > 0 && cache == nil)
  }

  @Test func plainRequestsLeaveNoObjectsToRelease() {
    var tree = StageTree()
    let place = tree.join(Caller(request(target: Self.small)), fetch: nil)
    remove(place, from: &tree)
    #expect(tree.takeReleasedObjects().isEmpty)
  }
}
