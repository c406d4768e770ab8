import Testing
import Vitrine
import VitrineTesting

@testable import VitrineDemo

/// The images that the viewer loads before their pages are shown.
struct ImagesAheadTests {
  private let small = DecodeTarget(width: 400, height: 300, mode: .fit)
  private let large = DecodeTarget(width: 800, height: 600, mode: .fit)

  @Test func nothingIsLoadedBeforeTheSizeIsKnown() {
    var ahead = ImagesAhead()
    let early = ahead.add("a") + ahead.add("b")
    #expect(early == [])
    let wasLoading = ahead.remove("b")
    #expect(!wasLoading)

    #expect(ahead.resize(to: large) == .init(loaded: ["a"]))

    #expect(ahead.add("c") == ["c"])
    #expect(ahead.add("c") == [], "is loading")
  }

  @Test func anotherSizeLoadsAllAgain() {
    var ahead = ImagesAhead()
    _ = ahead.resize(to: small)
    _ = ahead.add("a")
    _ = ahead.add("b")
    #expect(ahead.resize(to: small) == .init())

    #expect(ahead.resize(to: large) == .init(cancelled: ["a", "b"], loaded: ["a", "b"]))
    let removals = [ahead.remove("a"), ahead.remove("a")]
    #expect(removals == [true, false])
    #expect(ahead.resize(to: nil) == .init(cancelled: ["b"]))
    #expect(ahead.target == nil)
  }
}
