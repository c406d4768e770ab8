import Testing

@testable import VitrineLoading

/// Header fields by their names.
@Suite struct HTTPHeadersTests {
  @Test func settingReplacesEachFieldOfThatName() {
    var headers: HTTPHeaders = ["Accept": "a", "ACCEPT": "b", "Cookie": "c"]

    headers["accept"] = "d"

    #expect(headers.fields.map(\.value) == ["c", "d"])
    headers["Accept"] = nil
    #expect(headers.fields.map(\.name) == ["Cookie"])
  }

  @Test func nameThatBeginsWithAnotherIsAnother() {
    let headers: HTTPHeaders = ["Accept-Language": "de", "Accept": "image/*"]

    #expect(headers["Accept"] == "image/*")
    #expect(headers["Accept-Lang"] == nil)
    #expect(headers[""] == nil)
    #expect(!HTTPHeaders.isSame("Accept", "Accept-Language"))
    #expect(!HTTPHeaders.isSame("Accept-Language", "Accept"))
  }

  @Test func caseOfEveryLetterCountsForNothingAndOtherSignsForThemselves() {
    #expect(HTTPHeaders.isSame("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"))
    // The neighbours of the letters differ by the same bit.
    for (a, b) in [("@", "`"), ("[", "{"), ("^", "~"), ("\u{C4}", "\u{E4}")] {
      #expect(!HTTPHeaders.isSame(a, b))
    }
  }
}
