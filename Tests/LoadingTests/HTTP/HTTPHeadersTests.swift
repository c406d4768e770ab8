import Testing

@testable import VitrineLoading

/// Looking up and comparing header fields by name.
@Suite struct HTTPHeadersTests {
  @Test func settingAHeaderReplacesAllFieldsOfTheName() {
    var headers: HTTPHeaders = ["Accept": "a", "ACCEPT": "b", "Cookie": "c"]

    headers["accept"] = "d"

    #expect(headers.fields.map(\.value) == ["c", "d"])
    headers["Accept"] = nil
    #expect(headers.fields.map(\.name) == ["Cookie"])
  }

  @Test func namesOfOneLengthWithEqualEndsAreToldApart() {
    let headers: HTTPHeaders = ["X-Image-Width": "3", "x-image-DEPTH": "8", "X-ABCDE-Width": "5"]

    #expect(headers["X-abcde-width"] == "5")
    #expect(headers["X-Image-Width"] == "3")
    #expect(headers["X-Image-Depth"] == "8")
    #expect(headers["X-Other-Width"] == nil)
    #expect(headers[""] == nil)
  }

  @Test func prefixOfANameDoesNotMatch() {
    let headers: HTTPHeaders = ["Accept-Language": "de", "Accept": "image/*"]

    #expect(headers["Accept"] == "image/*")
    #expect(headers["Accept-Lang"] == nil)
    #expect(headers[""] == nil)
    #expect(!HTTPHeaders.isSame("Accept", "Accept-Language"))
    #expect(!HTTPHeaders.isSame("Accept-Language", "Accept"))
  }

  @Test func comparisonIgnoresTheCaseOfASCIILettersOnly() {
    #expect(HTTPHeaders.isSame("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"))
    // The neighbors of the letters in ASCII differ by the same bit as upper and lower case.
    for (a, b) in [("@", "`"), ("[", "{"), ("^", "~"), ("\u{C4}", "\u{E4}")] {
      #expect(!HTTPHeaders.isSame(a, b))
    }
  }

  @Test func equalHeadersMayDifferInTheCaseOfNames() {
    let headers: HTTPHeaders = ["Accept": "image/*", "ETag": "\"a\""]
    let same: HTTPHeaders = ["accept": "image/*", "ETAG": "\"a\""]

    #expect(headers == same)
    #expect(Set([headers, same]).count == 1)
    #expect(headers != ["Accept": "IMAGE/*", "ETag": "\"a\""], "values are compared with case")
    #expect(headers != ["Accepts": "image/*", "ETag": "\"a\""])
    #expect(headers != ["ETag": "\"a\"", "Accept": "image/*"], "the order counts")
    #expect(HTTPHeaders.Field(name: "", value: "a") == .init(name: "", value: "a"))
  }
}
