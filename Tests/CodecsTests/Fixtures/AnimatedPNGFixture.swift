import VitrineGraphics
import VitrineTesting

/// Writes animated PNG files, with red, green, blue and alpha of eight bits, as a list of chunks that tests change.
struct AnimatedPNGFixture {
  struct Delay {
    var numerator = 1
    var denominator = 10
  }

  var width: Int
  var height: Int
  var isInterlaced = false
  /// The number of plays in the animation control chunk.
  var loopCount = 0
  /// The default image if it is not the first frame; by default the first frame is the default image.
  var defaultImage: [Color]?
  /// The number of data chunks of each frame.
  var partCount = 1
  var frames: [ReferenceAnimation.Frame]
  /// The delays of the frames; 1/10 s for frames without an entry.
  var delays: [Delay] = []

  /// The whole file.
  var bytes: [UInt8] { Self.file(chunks) }

  static func file(_ chunks: [(type: String, payload: [UInt8])]) -> [UInt8] {
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunks.flatMap { PNGFixture.chunk($0.type, $0.payload) }
  }

  /// All chunks from IHDR to IEND.
  var chunks: [(type: String, payload: [UInt8])] {
    let image = fixture(width, height, [])
    var chunks = [("IHDR", image.header), ("acTL", frames.count.bigEndianBytes + loopCount.bigEndianBytes)]
    if let defaultImage {
      chunks.append(("IDAT", PNGFixture.zlib(fixture(width, height, defaultImage).scanlines)))
    }
    var sequence = 0
    for (index, frame) in frames.enumerated() {
      chunks.append(("fcTL", control(index, sequence)))
      sequence += 1
      let data = PNGFixture.zlib(fixture(frame.width, frame.height, frame.pixels).scanlines)
      let length = (data.count + partCount - 1) / partCount
      for start in stride(from: 0, to: data.count, by: length) {
        let part = Array(data[start..<min(start + length, data.count)])
        if index == 0, defaultImage == nil {
          chunks.append(("IDAT", part))
        } else {
          chunks.append(("fdAT", sequence.bigEndianBytes + part))
          sequence += 1
        }
      }
    }
    return chunks + [("IEND", [])]
  }

  private func control(_ index: Int, _ sequence: Int) -> [UInt8] {
    let frame = frames[index]
    let delay = index < delays.count ? delays[index] : Delay()
    var control = [sequence, frame.width, frame.height, frame.x, frame.y].flatMap(\.bigEndianBytes)
    control += delay.numerator.bigEndianBytes.suffix(2) + delay.denominator.bigEndianBytes.suffix(2)
    let disposal: UInt8 =
      switch frame.disposal {
      case .keep: 0
      case .background: 1
      case .previous: 2
      }
    return control + [disposal, frame.isBlended ? 1 : 0]
  }

  private func fixture(_ width: Int, _ height: Int, _ pixels: [Color]) -> PNGFixture {
    var fixture = PNGFixture(width: width, height: height) { x, y in
      let color = pixels[y * width + x]
      return [color.red, color.green, color.blue, color.alpha].map(Int.init)
    }
    fixture.isInterlaced = isInterlaced
    return fixture
  }
}

extension AnimatedPNGFixture {
  /// A file of frames that cover the canvas, each of one color.
  static func solid(width: Int = 4, height: Int = 3, _ colors: [Color]) -> Self {
    let frames = colors.map { color in
      ReferenceAnimation.Frame(
        x: 0, y: 0, width: width, height: height, isBlended: false, disposal: .keep,
        pixels: [Color](repeating: color, count: width * height))
    }
    return Self(width: width, height: height, frames: frames)
  }

  /// A random animation of 2 to 8 frames: every disposal and blend, partial frames, interlacing, opaque, transparent
  /// and translucent pixels.
  static func random(using generator: inout SplitMix) -> Self {
    let width = Int.random(in: 1...24, using: &generator)
    let height = Int.random(in: 1...24, using: &generator)
    var fixture = Self(width: width, height: height, frames: [])
    fixture.isInterlaced = .random(using: &generator)
    fixture.partCount = .random(in: 1...3, using: &generator)
    func pixels(_ count: Int) -> [Color] {
      (0..<count).map { _ in
        let alpha =
          [0, 255, UInt8.random(in: 1...254, using: &generator)].randomElement(using: &generator) ?? 0
        return Color.random(alpha: alpha, using: &generator)
      }
    }
    if Int.random(in: 0..<4, using: &generator) == 0 { fixture.defaultImage = pixels(width * height) }
    for index in 0..<Int.random(in: 2...8, using: &generator) {
      let isWhole =
        (index == 0 && fixture.defaultImage == nil) || Int.random(in: 0..<3, using: &generator) == 0
      let x = isWhole ? 0 : Int.random(in: 0..<width, using: &generator)
      let y = isWhole ? 0 : Int.random(in: 0..<height, using: &generator)
      let size = (
        width: isWhole ? width : Int.random(in: 1...(width - x), using: &generator),
        height: isWhole ? height : Int.random(in: 1...(height - y), using: &generator)
      )
      let disposals: [ReferenceAnimation.Disposal] = [.keep, .background, .previous]
      fixture.frames.append(
        ReferenceAnimation.Frame(
          x: x, y: y, width: size.width, height: size.height, isBlended: .random(using: &generator),
          disposal: disposals.randomElement(using: &generator) ?? .keep,
          pixels: pixels(size.width * size.height)))
    }
    return fixture
  }

  /// The frames as a viewer should show them.
  var composed: [[[Color]]] {
    ReferenceAnimation(width: width, height: height, frames: frames).composed
  }
}
