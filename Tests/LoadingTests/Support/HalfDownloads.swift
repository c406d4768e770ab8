import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Suites whose downloads break after 6,000 of 10,000 bytes.
protocol HalfDownloads {}

extension HalfDownloads {
  static var body: [UInt8] { halfDownloadsBody }
  var tag: HTTPHeaders { ["ETag": "\"v1\"", "Accept-Ranges": "bytes"] }

  func sendHalf(_ transfer: FakeTransfer, headers: HTTPHeaders? = nil) {
    transfer.respond(headers: headers ?? tag, expectedLength: 10_000)
    transfer.send(Array(Self.body[..<6000]))
  }

  func sendRest(_ transfer: FakeTransfer, tag: String = "\"v1\"") {
    transfer.respond(
      status: 206, headers: ["Content-Range": "bytes 6000-9999/10000", "ETag": tag], expectedLength: 4000)
    transfer.send(Array(Self.body[6000...]))
    transfer.finish()
  }
}

/// 10,000 bytes that decode to an image: the decoder reads numbers and ignores the spaces after them.
private let halfDownloadsBody: [UInt8] = {
  var bytes = Fixture.body
  bytes += [UInt8](repeating: UInt8(ascii: " "), count: 10_000 - bytes.count)
  return bytes
}()
