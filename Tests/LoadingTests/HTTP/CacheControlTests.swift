import Testing

@testable import VitrineLoading

/// Parsing of the `Cache-Control` header (RFC 9111, 5.2).
@Suite struct CacheControlTests {
  private func read(_ fields: String...) -> CacheControl {
    CacheControl(HTTPHeaders(fields.map { HTTPHeaders.Field(name: "cache-CONTROL", value: $0) }))
  }

  @Test(arguments: [
    ("max-age=60", 60.0), ("MAX-AGE=60", 60), ("max-age=\"60\"", 60), ("public , max-age = 60 ", 60),
    (",,max-age=60,,", 60), ("max-age=60, max-age=5", 60), ("x=\"a,max-age=5\", max-age=60", 60),
    ("x=\"a\\\",max-age=5\",max-age=60", 60), ("max-age=007", 7), ("max-age=0", 0),
    ("max-age=\"60\"\u{301}", 60), ("max-age=\"6\\0\"", 60),
    ("max-age=4294967296", 0x1p31), ("max-age=99999999999999999999999999999999", 0x1p31),
  ])
  func directiveSecondsAreParsed(text: String, expected: Double) {
    #expect(read(text).seconds("max-age") == .number(expected))
  }

  @Test(arguments: [
    "max-age", "max-age=", "max-age=-1", "max-age=1.5", "max-age=1e3", "max-age=+1", "max-age=sixty",
    "max-age=\"\"", "max-age=\"60", "max-age=60 seconds", "max-age=0x10", "max-age=\u{661}",
  ])
  func malformedSecondsAreInvalid(text: String) {
    // An unclosed quote extends to the end of the field.
    #expect(read(text).seconds("max-age") == (text.hasSuffix("\"60") ? .number(60) : .invalid))
  }

  @Test(arguments: ["", ",", "=", "==", "=60", "\"", "\\", "s-maxage=60", "x-max-age=60", "\"max-age=60\""])
  func absentDirectiveHasNoSeconds(text: String) { #expect(read(text).seconds("max-age") == nil) }

  @Test func directivesOfAllFieldsAreCombined() {
    let control = read("no-cache", "max-age=1", "max-age=2, Must-Revalidate, no-store=\"Set-Cookie\"")
    for name in ["no-cache", "must-revalidate", "no-store"] { #expect(control.contains(name)) }
    #expect(control.seconds("max-age") == .number(1))
    #expect(!control.contains("immutable"))
  }
}
