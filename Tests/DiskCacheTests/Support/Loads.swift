import FoundationEssentials
import VitrineLoading
import VitrineTesting

/// Encoded bytes of an image of 64 x 48 pixels.
let encodedImage = FakeDecoder.encodedImage(width: 64, height: 48)

/// The headers of a response that is fresh for a minute.
let freshForAMinute: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"one\""]

/// `http://a.test/NAME`.
func url(_ name: String) -> URL { URL(string: "http://a.test/\(name)") ?? URL(filePath: "/") }

extension FakeTransfer {
  /// Sends a complete response with these headers.
  func respond(with body: [UInt8], _ headers: HTTPHeaders) {
    respond(headers: headers, expectedLength: body.count)
    send(body)
    finish()
  }
}
