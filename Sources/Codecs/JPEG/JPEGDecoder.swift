import VitrineGraphics
import VitrineLoading

/// JPEG by libjpeg-turbo: shrunk by the decoder as far as quality allows, the rest by area.
enum JPEGDecoder {
  static func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
    let orientation = JPEGSegments(data).orientation
    return try data.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      let reader = try JPEGReader(bytes)
      let plan = try DecodePlan(
        format: .jpeg, stored: reader.size, orientation: orientation, options: options)
      try plan.checkPixels(holdsSource: reader.holdsSource)
      // A few arithmetic codes, or none, make any number of pixels.
      if reader.isArithmetic { try plan.checkPassingPixels() }
      guard reader.isPlausible(byteCount: data.count) else {
        throw .decoding(.jpeg, message: "the pixels end early")
      }
      let bitmap = try plan.bitmap(hasAlpha: false) { (canvas) throws(ImageError) in
        try draw(reader, plan, on: canvas)
      }
      return plan.image(bitmap)
    }
  }

  private static func draw(
    _ reader: JPEGReader, _ plan: DecodePlan, on canvas: Canvas
  ) throws(ImageError) {
    let eighths = eighths(from: plan.stored, to: plan.scaled)
    let size = try reader.start(eighths: eighths, format: plan.options.pixelFormat)
    var source = Canvas.Source(size, hasAlpha: false)
    source.extent = (
      Double(plan.stored.width * eighths) / 8, Double(plan.stored.height * eighths) / 8
    )
    try canvas.draw(source) { (rows, count) throws(ImageError) in
      try reader.read(rows, count: count)
      if reader.isCMYK {
        invertedCMYK(rows, pixels: size.width * count, to: plan.options.pixelFormat)
      }
    }
  }

  /// The scale in eighths to decode at: the smallest of those that libjpeg-turbo has vector code for that
  /// leaves at least twice the pixels wanted along each side. Nearer to the wanted size the area filter
  /// would blur, for it has few pixels to choose from.
  static func eighths(from stored: PixelSize, to scaled: PixelSize) -> Int {
    for eighths in [1, 2, 4]
    where stored.width * eighths >= scaled.width * 16 && stored.height * eighths >= scaled.height * 16 {
      return eighths
    }
    return 8
  }

  /// Turns CMYK into opaque pixels in place. Adobe's convention, which every writer of such files follows:
  /// 255 is no ink.
  private static func invertedCMYK(
    _ memory: UnsafeMutableRawPointer, pixels: Int, to format: PixelFormat
  ) {
    let bytes = memory.assumingMemoryBound(to: UInt8.self)
    let red = format == .rgba ? 0 : 2
    for pixel in stride(from: 0, to: pixels * 4, by: 4) {
      let black = UInt32(bytes[pixel + 3])
      let cyan = UInt32(bytes[pixel])
      let magenta = UInt32(bytes[pixel + 1])
      let yellow = UInt32(bytes[pixel + 2])
      bytes[pixel + red] = UInt8((cyan * black + 127) / 255)
      bytes[pixel + 1] = UInt8((magenta * black + 127) / 255)
      bytes[pixel + 2 - red] = UInt8((yellow * black + 127) / 255)
      bytes[pixel + 3] = 255
    }
  }
}
