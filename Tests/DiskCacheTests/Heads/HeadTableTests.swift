import Foundation
import Glibc
import Testing

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Heads of stored responses that are found without opening the files of the responses.
@Suite(.timeLimit(.minutes(5))) struct HeadTableTests {
  let fixture = DiskFixture()

  @Test("a second start finds the heads and the pixels of 200 tiles with a few opens")
  func secondStartOpensFewFiles() {
    fixture.fill(0..<200)
    let digests = (0..<200).map { fixture.headInFile(identity($0))?.body }
    let stored = fixture.pixels()
    for number in 0..<200 {
      guard let digest = digests[number] else { continue }
      stored.store(pixelImage(seed: number), isAnimated: false, for: pixelKey(number), of: digest)
    }
    let system = FaultySystem()
    let (cache, pixels) = (fixture.cache(on: system), fixture.pixels(on: system))
    var found = 0

    let count = system.opens {
      for number in 0..<200 {
        guard let head = cache.readHead(for: identity(number))?.head, head.body == digests[number],
          head.response == fixture.headInFile(identity(number))?.response
        else { continue }
        let image = pixels.pixels(for: pixelKey(number), of: head.body) { _ in }
        if isSame(image, pixelImage(seed: number)) { found += 1 }
      }
    }

    #expect(found == 200)
    // Folders, tables and packs, and two files that tell the kind of the disk.
    #expect(count <= 15, "\(count) opens")
    #expect(cache.statistics.misses == 0 && cache.fault == nil)
  }

  @Test("a lookup for pixels writes nothing, so that it does not wait for writers")
  func lookupOfAHeadWritesNothing() throws {
    fixture.fill(0..<2)
    try FileManager.default.removeItem(atPath: fixture.tablePath)
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    let writes: [FaultySystem.Call] = [.write, .writeAt, .rename, .lock, .makeFolder, .truncate, .link]

    for _ in 0..<2 {
      let found = try #require(cache.readHead(for: identity(1)))
      #expect(found.head == fixture.headInFile(identity(1)) && !found.isRecorded)
    }
    #expect(writes.allSatisfy { system.counts[$0] == nil })
    #expect(!FileManager.default.fileExists(atPath: fixture.tablePath))

    #expect(cache.head(for: identity(1)) != nil)
    let count = system.opens {
      #expect(
        cache.readHead(for: identity(1)).map { $0.head == fixture.headInFile(identity(1)) && $0.isRecorded }
          == true)
    }
    #expect(count == 0 && cache.statistics.misses == 0)
    #expect(cache.readHead(for: identity(7)) == nil && cache.statistics.misses == 1)
  }

  @Test func lookupAfterAStartOpensTheTable() throws {
    fixture.fill(0..<20)
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    _ = cache.readHead(for: identity(0))

    let count = system.opens {
      for number in 0..<20 { #expect(cache.readHead(for: identity(number))?.isRecorded == true) }
    }

    #expect(count == 0)
  }

  @Test func headThatCannotBeRecordedNeedNotBe() throws {
    fixture.fill(0..<3)
    let first = fixture.cache()
    var head = try #require(first.head(for: identity(2)))
    head.response.received += 10
    #expect(first.update(head.response, of: head.body, for: identity(2)))
    let newer = try #require(first.readHead(for: identity(2)))
    #expect(newer.head.response.received == head.response.received)
    #expect(newer.isRecorded, "another head of the body was recorded less than an hour ago")
    fixture.wait(Double(HeadTable.renewalInterval) + 1)
    #expect(first.readHead(for: identity(2))?.isRecorded == false)
    first.recordHead(for: identity(2))
    #expect(first.readHead(for: identity(2))?.isRecorded == true)

    let seed = DiskImageCache(inspecting: fixture.folder)
    #expect(seed.readHead(for: identity(0))?.isRecorded == true)

    let long: HTTPHeaders = ["ETag": "\"" + String(repeating: "a", count: HeadEntry.maximumHeadBytes) + "\""]
    let cache = fixture.cache()
    cache.store(storedResponse(headers: long), for: identity(1))
    #expect(cache.readHead(for: identity(1))?.isRecorded == true)
  }

  @Test func headThatIsRecordedIsNotWrittenAgain() throws {
    fixture.fill(0..<20)
    let system = FaultySystem()
    let before = try contents(fixture.tablePath)
    let cache = fixture.cache(on: system)

    for _ in 0..<2 { for number in 0..<20 { #expect(cache.head(for: identity(number)) != nil) } }

    #expect(try contents(fixture.tablePath) == before)
    #expect(system.counts[.write] == nil && system.counts[.writeAt] == nil)
  }

  @Test func revalidationRenewsTheHead() throws {
    fixture.fill(0..<2)
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    let old = try #require(cache.head(for: identity(1)))
    var response = old.response
    response.response = storedResponse(headers: ["ETag": "\"a\"", "Cache-Control": "max-age=77"]).response
    response.received += 500
    fixture.wait(Double(HeadTable.renewalInterval) + 1)
    #expect(cache.update(response, of: old.body, for: identity(1)))

    var new: StoredHead?
    let count = system.opens { new = cache.head(for: identity(1)) }

    #expect(count == 0)
    #expect(new?.response.received == response.received && new?.body == old.body)
    #expect(new?.response.response.headers["Cache-Control"] == "max-age=77")
    #expect(new?.response == fixture.headInFile(identity(1))?.response)
  }

  @Test("an image that its server confirms every few minutes is written to the table once an hour")
  func frequentRevalidationsAreReadFromTheFile() throws {
    fixture.fill(0..<1)
    let cache = fixture.cache()
    var head = try #require(cache.head(for: identity(0)))
    var tables: Set<[UInt8]> = [try contents(fixture.tablePath)]
    for _ in 0..<24 {
      fixture.wait(301)
      head.response.received += 301
      #expect(cache.update(head.response, of: head.body, for: identity(0)))
      #expect(cache.head(for: identity(0))?.response.received == head.response.received)
      tables.insert(try contents(fixture.tablePath))
    }

    #expect(tables.count == 3)
    // A lookup much later has the last head recorded.
    fixture.wait(7000)
    #expect(cache.head(for: identity(0))?.response.received == head.response.received)
    let system = FaultySystem()
    let later = fixture.cache(on: system)
    _ = later.head(for: identity(0))
    let openCount = system.opens {
      #expect(later.head(for: identity(0))?.response.received == head.response.received)
    }
    #expect(openCount == 0)
  }

  @Test("the head of a response that another process has replaced, confirmed or removed is not found")
  func changeOfAnotherProcessIsSeen() throws {
    fixture.fill(0..<4)
    let cache = fixture.cache()
    let first = try #require(cache.head(for: identity(0)))
    let other = fixture.cache()

    // The same length, in the same second.
    other.store(storedResponse(seed: 200), for: identity(0))
    let confirmed = try #require(other.head(for: identity(1)))
    var head = confirmed.response
    head.received += 9
    #expect(other.update(head, of: confirmed.body, for: identity(1)))
    other.removeResponse(for: identity(2))
    other.removeResponse(for: identity(3))
    other.store(storedResponse(seed: 201), for: identity(3))

    #expect(cache.head(for: identity(0))?.body != first.body)
    #expect(cache.head(for: identity(1))?.response.received == head.received)
    #expect(cache.head(for: identity(2)) == nil)
    #expect(cache.head(for: identity(3))?.body == cache.digest(of: storedResponse(seed: 201).body))
    other.removeAllResponses()
    for number in 0..<4 { #expect(cache.head(for: identity(number)) == nil) }
    #expect(!FileManager.default.fileExists(atPath: fixture.tablePath))
    other.store(storedResponse(seed: 202), for: identity(0))
    #expect(cache.head(for: identity(0))?.body == cache.digest(of: storedResponse(seed: 202).body))
    #expect(FileManager.default.fileExists(atPath: fixture.tablePath))
  }

  @Test("nothing of a response stays in the table after its removal", arguments: ["requested", "evicted"])
  func removedHeadIsErased(how: String) throws {
    fixture.fill(7..<8, headers: ["ETag": "\"private-tag\""])
    let tag = Array("private-tag".utf8)
    let holdsTag = { try contents(fixture.tablePath).contains(tag) }
    #expect(try holdsTag())
    let cache = fixture.cache { if how == "evicted" { $0.count = 0 } }

    if how == "requested" { cache.removeResponse(for: identity(7)) } else { cache.trim() }

    #expect(try !holdsTag())
    #expect(cache.head(for: identity(7)) == nil)
  }

  @Test("the table grows with the heads, and writes nothing when it cannot grow")
  func tableGrows() throws {
    let cache = fixture.cache()
    for number in 0..<1000 {
      cache.store(storedResponse(4), for: identity(number))
      _ = cache.head(for: identity(number))
    }
    let size = try contents(fixture.tablePath).count
    #expect(size > 17 * HeadBucket.length && size < 600 * HeadBucket.length, "\(size)")
    let system = FaultySystem()
    let second = fixture.cache(on: system)
    // Heads of other threads may be lost when the table grows. This round records them.
    for number in 0..<1000 { _ = second.head(for: identity(number)) }
    let openCount = system.opens {
      for number in 0..<1000 { #expect(second.head(for: identity(number)) != nil) }
    }
    #expect(openCount == 0)

    // The table of a small cache has no room for all heads.
    let small = DiskFixture()
    let cacheOfSmall = small.cache { $0.bytes = 1 << 20 }
    for number in 0..<240 { cacheOfSmall.store(storedResponse(4), for: identity(number)) }
    for number in 0..<240 { _ = cacheOfSmall.head(for: identity(number)) }
    let path = "\(small.root)/\(HeadBucket.fileName)"
    let before = try contents(path)
    #expect(before.count == 17 * HeadBucket.length)
    for number in 0..<240 { #expect(cacheOfSmall.head(for: identity(number)) != nil) }
    #expect(try contents(path) == before)
  }

  @Test("a seed has no table, and a tool does not use one")
  func onlyOwnersUseTheTable() {
    fixture.fill(0..<2)
    #expect(fixture.cache().openToAllReaders())
    #expect(!FileManager.default.fileExists(atPath: fixture.tablePath))
    for cache in [
      DiskImageCache(seed: fixture.folder), DiskImageCache(inspecting: fixture.folder),
      DiskImageCache(keepingReadersOf: fixture.folder),
    ] {
      for _ in 0..<2 { #expect(cache.head(for: identity(0)) != nil) }
    }
    #expect(!FileManager.default.fileExists(atPath: fixture.tablePath))
  }

  @Test func moveLeavesNoTable() {
    fixture.fill(0..<2)
    let target = DiskFixture()

    #expect(target.cache().moveEntries(from: fixture.folder) == 2)

    #expect(!FileManager.default.fileExists(atPath: fixture.folder))
  }

  @Test("a secret or varying response is found, and one that is too old is removed")
  func rulesOfTheFileApply() throws {
    let secret = identity("a.jpg", headers: ["Authorization": "Basic eDp5", "Accept-Language": "de"])
    let cache = fixture.cache { $0.timeToLive = 100 }
    var response = storedResponse(headers: ["ETag": "\"a\"", "Vary": "X-Size"])
    response.varying = [HTTPHeaders.Field(name: "X-Size", value: "big")]
    cache.store(response, for: secret)
    let system = FaultySystem()
    let later = fixture.cache(on: system) { $0.timeToLive = 100 }
    for _ in 0..<2 { #expect(cache.head(for: secret) == later.head(for: secret)) }
    var head: StoredHead?
    #expect(system.opens { head = later.head(for: secret) } == 0)
    #expect(head?.response.varyingKey != nil && head?.response == fixture.headInFile(secret)?.response)
    #expect(try !contents(fixture.tablePath).contains(Array("Basic".utf8)))
    #expect(try !contents(fixture.tablePath).contains(Array("big".utf8)))

    fixture.wait(101)

    #expect(later.head(for: secret) == nil)
    #expect(fixture.files.isEmpty && later.statistics.evictions == 1)
  }

  @Test func useIsRecordedWithoutOpeningTheFile() throws {
    fixture.fill(0..<1)
    let path = try #require(fixture.files.first)
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    _ = cache.head(for: identity(0))
    fixture.wait(3 * 86400)
    let used = { () -> Int in
      var status = stat()
      return stat(path, &status) == 0 ? status.st_atim.tv_sec : 0
    }
    let before = used()

    #expect(system.opens { _ = cache.head(for: identity(0)) } == 0)

    #expect(used() == before + 3 * 86400)
    // The head is still the one of the table.
    #expect(system.opens { _ = cache.head(for: identity(0)) } == 0)
  }

  @Test func longHeadIsReadFromItsFile() {
    let long = String(repeating: "a", count: HeadEntry.maximumHeadBytes)
    let cache = fixture.cache()
    cache.store(storedResponse(headers: ["ETag": "\"\(long)\""]), for: identity(0))

    for _ in 0..<2 {
      #expect(cache.head(for: identity(0))?.response.response.headers["ETag"] == "\"\(long)\"")
    }
  }
}
