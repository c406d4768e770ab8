import Testing
import VitrineTesting

@testable import VitrineLoading

/// The hash table of the memory cache.
@Suite(.timeLimit(.minutes(5))) struct HashIndexTests {
  @Test("Entries are found by hash after any inserts and removals", arguments: [1, 3, 16, 1 << 20])
  func placeIndexBehavesLikeADictionary(spread: Int) {
    var random = SplitMix(state: UInt64(spread))
    var index = HashIndex()
    var hashes: [Int: Int] = [:]

    for step in 0..<600 {
      if hashes.count < 40 || Bool.random(using: &random), hashes.count < 120 {
        let hash = Int.random(in: 0..<spread * 16, using: &random)
        index.insert(step, hash: hash)
        hashes[step] = hash
      } else if let (entry, hash) = hashes.randomElement(using: &random) {
        if step % 3 == 0 {
          index.replace(entry, with: step, hash: hash)
          hashes[step] = hash
        } else {
          index.remove(entry, hash: hash)
        }
        hashes[entry] = nil
      }
      guard step % 20 == 0 else { continue }
      for (entry, hash) in hashes { #expect(index.entry(hash) { $0 == entry } == entry) }
    }
    for (entry, hash) in hashes { index.remove(entry, hash: hash) }
    #expect(hashes.values.allSatisfy { index.entry($0) { _ in true } < 0 })
  }
}
