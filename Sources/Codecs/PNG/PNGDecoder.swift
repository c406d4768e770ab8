import VitrineGraphics
import VitrineLoading

/// PNG by libpng, row by row unless it is interlaced.
enum PNGDecoder {
  static func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
    let structure = try PNGStructure(data)
    var plan = try DecodePlan(
      format: .png, stored: structure.size, orientation: structure.orientation, options: options)
    try plan.checkPixels(holdsSource: structure.isInterlaced)
    try plan.checkPassingPixels()
    guard structure.isPlausible else { throw .decoding(.png, message: "the pixels end early") }
    plan.convertColors(of: structure.colorModel, with: structure.profile)
    return try data.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      let reader = try PNGReader(bytes, width: structure.size.width, format: options.pixelFormat)
      let source = Canvas.Source(
        structure.size, hasAlpha: structure.hasAlpha, isWhole: structure.isInterlaced)
      let bitmap = try plan.bitmap(hasAlpha: structure.hasAlpha) { (canvas) throws(ImageError) in
        try canvas.draw(source) { (rows, count) throws(ImageError) in
          // An interlaced picture comes in seven passes over all of its rows, each adding pixels.
          for _ in 0..<(structure.isInterlaced ? 7 : 1) { try reader.read(rows, count: count) }
        }
      }
      return plan.image(bitmap)
    }
  }
}
