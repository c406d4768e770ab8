import Testing

@testable import VitrineLoading

struct CopyOnWriteTests {
  @Test func copiesAreIndependent() {
    let original = CopyOnWrite([1, 2])
    var copy = original
    copy.value.append(3)
    #expect(original.value == [1, 2] && copy.value == [1, 2, 3])
  }

  @Test func soleValueIsChangedInPlace() {
    var value = CopyOnWrite([Int](unsafeUninitializedCapacity: 100) { _, count in count = 0 })
    let address = value.value.withUnsafeBufferPointer { $0.baseAddress }
    for number in 0..<100 { value.value.append(number) }
    #expect(value.value.withUnsafeBufferPointer { $0.baseAddress } == address)
  }

  @Test func fetchedBytesAreValues() {
    let bytes = FetchedBytes(body: [1, 2, 3], response: nil)
    var changed = bytes
    changed.source = .disk
    changed.body.append(4)
    #expect(bytes.source == .network && bytes.body == [1, 2, 3])
    #expect(changed.source == .disk && changed.body == [1, 2, 3, 4])
    #expect(bytes != changed && bytes == FetchedBytes(body: [1, 2, 3], response: nil))
  }
}
