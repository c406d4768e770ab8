import Testing

@testable import VitrineLoading

/// The rules for storing, reusing and revalidating responses (RFC 9111, 3 and 4).
@Suite struct StoringRuleTests {
  private func response(_ headers: HTTPHeaders, status: Int? = 200) -> TransportResponse {
    TransportResponse(url: url("a.jpg"), status: status, headers: headers, expectedLength: 3)
  }

  private func makeStored(_ headers: HTTPHeaders, sent: HTTPHeaders = [:]) throws -> StoredResponse {
    try #require(
      StoredResponse(storing: response(headers), body: [1, 2, 3], sent: sent, requested: 10, received: 11))
  }

  @Test(
    arguments: [
      ([:], [:], true), (["Cache-Control": "private"], [:], true),
      (["Set-Cookie": "a=b"], ["Authorization": "Basic x", "Cookie": "a=b"], true),
      (["Cache-Control": "no-cache, max-age=0"], [:], true), (["Vary": "Accept, Cookie"], [:], true),
      (["Cache-Control": "no-store"], [:], false), (["Cache-Control": "max-age=60, No-Store"], [:], false),
      (["Cache-Control": "must-understand, no-store"], [:], true),
      ([:], ["cache-control": "no-store"], false), ([:], ["Cache-Control": "no-cache"], true),
      (["Vary": "*"], [:], false), (["Vary": "Accept", "vary": "Cookie, *"], [:], false),
    ] as [(HTTPHeaders, HTTPHeaders, Bool)])
  func headersDecideWhetherAResponseIsStored(received: HTTPHeaders, sent: HTTPHeaders, expected: Bool) {
    #expect(StoredResponse.mayBeStored(response(received), sent: sent) == expected)
  }

  @Test(arguments: [nil, 0, 100, 201, 203, 204, 206, 301, 304, 404, 500])
  func onlyStatus200IsStored(status: Int?) {
    #expect(!StoredResponse.mayBeStored(response([:], status: status), sent: [:]))
  }

  @Test func hopByHopHeadersAndCookiesAreNotStored() throws {
    let stored = try makeStored([
      "Connection": "close, X-Hop", "x-hop": "1", "Transfer-Encoding": "chunked", "Keep-Alive": "5",
      "ETag": "\"a\"", "Set-Cookie": "a", "set-cookie": "b",
    ])
    #expect(stored.response.headers == ["ETag": "\"a\""])
    #expect(stored.body == [1, 2, 3] && stored.response.expectedLength == 3)
    #expect(stored.requested == 10 && stored.received == 11)
  }

  @Test(
    arguments: [
      ("X-Theme", ["x-theme": "dark"], true), ("X-Theme", ["X-Theme": "dark", "X-Other": "1"], true),
      ("X-Theme", ["X-Theme": "light"], false), ("X-Theme", [:], false),
      ("X-Theme", ["X-Theme": "dark", "x-theme": "blue"], false),
      ("x-theme,\tX-Other", ["X-Theme": "dark"], true),
      ("X-Other", ["X-Other": "1"], false), ("X-Other", ["X-Theme": "light"], true),
      // These headers are part of each request's identity, regardless of Vary.
      ("Accept, Cookie", ["Accept": "image/webp", "Cookie": "a"], true),
    ] as [(String, HTTPHeaders, Bool)])
  func responseMatchesEqualVaryingHeaders(vary: String, requested: HTTPHeaders, expected: Bool) throws {
    let stored = try makeStored(["Vary": vary], sent: ["X-THEME": "dark", "Accept": "*/*"])
    #expect(stored.matches(requested) == expected)
  }

  @Test func varyingHeadersAreStoredSortedByName() throws {
    let stored = try makeStored(
      ["Vary": "X-B, x-a", "vary": "X-None"], sent: ["X-B": "1", "x-b": "2", "X-A": "3", "X-C": "4"])
    #expect(stored.varying == [.init(name: "x-a", value: "3"), .init(name: "x-b", value: "1, 2")])
  }

  @Test(
    arguments: [
      ([:], [:]), (["ETag": "\"a\""], ["If-None-Match": "\"a\""]),
      (["ETag": "W/\"a\""], ["If-None-Match": "W/\"a\""]),
      (["Last-Modified": "x"], ["If-Modified-Since": "x"]),
      (["etag": "\"a\"", "last-modified": "x"], ["If-None-Match": "\"a\"", "If-Modified-Since": "x"]),
      (["ETag": ""], [:]), (["ETag": "\"a\r\nX: y\""], [:]), (["Last-Modified": "a\u{0}"], [:]),
    ] as [(HTTPHeaders, HTTPHeaders)])
  func validatorsComeFromETagAndLastModified(headers: HTTPHeaders, expected: HTTPHeaders) throws {
    #expect(try makeStored(headers).validators == expected)
  }

  @Test func headersOfA304ReplaceStoredHeaders() throws {
    let stored = try makeStored([
      "ETag": "\"a\"", "Date": "old", "Age": "7", "Cache-Control": "max-age=1", "Expires": "0",
      "X-Dropped": "1",
      "Content-Length": "3", "Content-Type": "image/png",
    ])
    let unchanged = response(
      [
        "Date": "new", "cache-control": "max-age=60", "Content-Length": "0", "Content-Type": "text/html",
        "Content-Encoding": "gzip", "Content-Range": "x", "Transfer-Encoding": "chunked",
        "Connection": "close",
        "ETag": "\"a\"",
      ], status: 304)
    let merged = try #require(stored.merging(unchanged, sent: [:], requested: 20, received: 21))
    #expect(
      merged.response.headers == [
        "Expires": "0", "Content-Length": "3", "Content-Type": "image/png", "Date": "new",
        "cache-control": "max-age=60", "ETag": "\"a\"",
      ])
    #expect(merged.response.status == 200 && merged.body == [1, 2, 3])
    #expect(merged.requested == 20 && merged.received == 21)
  }

  @Test func bare304ResetsTheAge() throws {
    let stored = try makeStored([
      "Date": "Thu, 01 Jan 1970 00:00:00 GMT", "Age": "500", "Cache-Control": "max-age=60",
    ])
    #expect(stored.standing(at: 1000) != .fresh)
    let merged = try #require(
      stored.merging(response([:], status: 304), sent: [:], requested: 999, received: 1000))
    #expect(merged.standing(at: 1000) == .fresh)
    #expect(merged.standing(at: 1061) != .fresh)
  }

  @Test(
    arguments: [
      ("\"a\"", "\"b\"", false), ("\"a\"", "\"a\"", true), ("\"a\"", "W/\"b\"", true),
      ("W/\"a\"", "\"b\"", true),
      (nil, "\"b\"", true), ("\"a\"", nil, true),
    ] as [(String?, String?, Bool)])
  func a304WithADifferentStrongETagIsNotMerged(old: String?, new: String?, expected: Bool) throws {
    var (before, after) = (HTTPHeaders(), HTTPHeaders())
    before["ETag"] = old
    after["ETag"] = new
    let merged = try makeStored(before).merging(
      response(after, status: 304), sent: [:], requested: 20, received: 21)
    #expect((merged != nil) == expected)
  }

  @Test func onlyA304IsMerged() throws {
    #expect(try makeStored([:]).merging(response([:]), sent: [:], requested: 20, received: 21) == nil)
  }

  @Test func varyOfA304IsMerged() throws {
    let merged = try makeStored([:]).merging(
      response(["Vary": "X-Theme"], status: 304), sent: ["X-Theme": "dark"], requested: 20, received: 21)
    #expect(try #require(merged).matches(["X-Theme": "dark"]))
    #expect(try !#require(merged).matches([:]))
  }
}
