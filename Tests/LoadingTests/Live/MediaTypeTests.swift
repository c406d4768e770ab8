import Testing

@testable import VitrineLoading

@Suite struct MediaTypeTests {
  @Test(
    arguments: [
      ("multipart/x-mixed-replace; boundary=frame", "frame"),
      ("multipart/x-mixed-replace;boundary=--myboundary", "--myboundary"),
      ("Multipart/X-Mixed-Replace; BOUNDARY=\"a b\"; x=1", "a b"),
      ("multipart/x-mixed-replace; charset=\"a;boundary=no\"; boundary = yes ;", "yes"),
      ("multipart/x-mixed-replace; boundary=\"a\\\"b\\\\\"", "a\"b\\"),
      ("multipart/x-mixed-replace; boundary=\"open", "open"),
      ("multipart/x-mixed-replace; flag; boundary=frame", "frame"),
      ("multipart/x-mixed-replace; boundary=", nil), ("multipart/x-mixed-replace", nil),
      ("multipart/x-mixed-replace; boundary", nil), ("multipart/mixed;;;=;boundary=b", "b"),
    ] as [(String, String?)])
  func boundaryIsRead(field: String, boundary: String?) {
    let type = MediaType(field)

    #expect(type.isMultipart)
    #expect(type.boundary == boundary)
  }

  @Test func boundaryBeyondTheLimitIsIgnored() {
    let long = String(repeating: "b", count: MediaType.maximumBoundaryBytes + 1)

    #expect(MediaType("multipart/mixed; boundary=\(long)").boundary == nil)
    #expect(MediaType("multipart/mixed; boundary=\(long.dropLast())").boundary == String(long.dropLast()))
  }

  @Test(arguments: ["image/jpeg", "", "text/plain; boundary=a", "x-multipart/mixed", ";"])
  func otherTypesAreNotMultipart(field: String) {
    #expect(!MediaType(field).isMultipart)
  }
}
