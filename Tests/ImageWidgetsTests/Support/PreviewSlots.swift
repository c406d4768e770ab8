import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Suites whose slots show previews of an image of 10,000 bytes.
protocol PreviewSlots {
  var bench: SlotBench { get }
}

extension PreviewSlots {
  /// Options without an indicator, because a spinner is drawn as an image too.
  var options: SlotOptions {
    var options = bench.options
    options.indicator = .none
    return options
  }

  func request(_ name: String = "1") throws -> ImageRequest {
    var request = try ImageRequest("http://a.test/\(name)")
    request.progressive = .scans
    return request
  }

  static var whole: [UInt8] { wholeImage }

  /// Sends a range of the bytes of the image, and waits until the preview is shown.
  func send(_ range: Range<Int>, of transfer: FakeTransfer, seenBy image: () -> Image?) async throws {
    let before = image()
    if range.lowerBound == 0 { transfer.respond(expectedLength: 10_000) }
    bench.clock.advance(by: 1)
    transfer.send(Array(Self.whole[range]))
    try await until { image() != before }
    // Previews are decoded one at a time.
    try await until { bench.downloader.ledger.usage.decoding == 0 }
  }

  func finish(_ transfer: FakeTransfer, from start: Int) {
    transfer.send(Array(Self.whole[start...]))
    transfer.finish()
  }

  /// The images that the window draws, including both images of a dissolve.
  var seen: Set<Image> {
    commands.reduce(into: []) { images, command in
      switch command {
      case .image(let image): images.insert(image.image)
      case .dissolve(let old, let new, _): images.formUnion([old.image, new.image])
      default: break
      }
    }
  }

  /// The opacity of the newer of two images.
  var fraction: Double? {
    for case .dissolve(_, _, let fraction) in commands { return fraction }
    let images = bench.images
    return images.count == 2 ? images[1].opacity : nil
  }

  var commands: [DrawList.Command] { bench.window.drawList(for: bench.window.bounds).commands }
}

private let wholeImage = FakeDecoder.encodedImage(
  width: 100, height: 100, color: Color(hex: 0xFF0000), count: 10_000)
