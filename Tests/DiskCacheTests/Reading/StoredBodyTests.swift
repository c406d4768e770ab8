import Testing

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Bodies that are read in parts and stay on disk.
@Suite(.timeLimit(.minutes(5))) struct StoredBodyTests {
  private let fixture = DiskFixture()

  @Test(arguments: [1, 100, 4096, 600_000])
  func storedBodyIsReadInParts(count: Int) throws {
    let cache = fixture.cache()
    let stored = storedResponse(count)
    #expect(cache.store(stored, for: identity(1)))

    let body = try #require(fixture.cache().storedBody(for: identity(1)))

    #expect(body.response.body.isEmpty)
    #expect(body.bytes.count == count)
    #expect(body.digest == cache.digest(of: stored.body))
    #expect(body.bytes.prefix(count) == stored.body)
    let start = count / 3
    var part = [UInt8](repeating: 0, count: count)
    let read = part.withUnsafeMutableBytes { body.bytes.read(at: start, into: $0) }
    #expect(read == count - start)
    #expect(part.prefix(read).elementsEqual(stored.body.dropFirst(start)))
    #expect(part.withUnsafeMutableBytes { body.bytes.read(at: count, into: $0) } == 0)
    #expect(part.withUnsafeMutableBytes { body.bytes.read(at: -1, into: $0) } == 0)
  }

  @Test func bodyOutlivesItsResponse() throws {
    let cache = fixture.cache()
    let stored = storedResponse(10_000)
    #expect(cache.store(stored, for: identity(1)))
    let body = try #require(cache.storedBody(for: identity(1)))

    #expect(cache.removeResponse(for: identity(1)))

    #expect(body.bytes.prefix(10_000) == stored.body)
    #expect(cache.storedBody(for: identity(1)) == nil)
  }

  @Test func missingResponseHasNoBody() {
    #expect(fixture.cache().storedBody(for: identity(1)) == nil)
  }

  @Test func bodyOfASeedIsFoundBelowTheTopLayer() {
    let fixture = SeedFixture()
    fixture.fillSeed(1..<2)
    let layers = fixture.cache()

    #expect(layers.storedBody(for: identity(1))?.bytes.prefix(300) == SeedFixture.response(1).body)
    #expect(layers.storedBody(for: identity(2)) == nil)
  }
}
