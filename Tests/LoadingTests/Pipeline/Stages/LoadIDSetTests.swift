import Testing

@testable import VitrineLoading

/// The set of numbers that stages keep of their children and callers.
struct LoadIDSetTests {
  private typealias ID = LoadID<TaskKind>

  @Test func behavesLikeASet() {
    var ids = LoadIDSet<TaskKind>()
    var set: Set<ID> = []
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      let id = ID(number: .random(in: 1...6, using: &random))
      if Bool.random(using: &random) {
        ids.insert(id)
        set.insert(id)
      } else {
        ids.remove(id)
        set.remove(id)
      }
      #expect(Array(ids) == set.sorted())
      #expect(ids.count == set.count && ids.isEmpty == set.isEmpty)
      #expect(ids.inPlace.map { set.contains($0) } ?? true)
      #expect(ids.hasOthers == (set.count > (ids.inPlace == nil ? 0 : 1)))
    }
  }

  @Test func elementOfAnEmptySetStaysInPlaceUntilItIsRemoved() {
    var ids = LoadIDSet<TaskKind>()
    for number in [7, 3, 9] as [UInt64] { ids.insert(ID(number: number)) }
    #expect(ids.inPlace == ID(number: 7))
    ids.remove(ID(number: 3))
    #expect(ids.inPlace == ID(number: 7))

    ids.remove(ID(number: 7))
    #expect(ids.inPlace == nil)
    ids.insert(ID(number: 1))

    #expect(ids.inPlace == nil, "9 is still there, and not in place")
    #expect(Array(ids) == [ID(number: 1), ID(number: 9)])
  }
}
