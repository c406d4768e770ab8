/// A kind of encoded image. The raw value is the name in keys and of the file.
enum FormatCase: String, CaseIterable {
  case progressiveJPEG = "jpeg_progressive"
  case png
  case pngWithAlpha = "png_alpha"
  case png16
  case interlacedPNG = "png_interlaced"
  case interlacedPNG16 = "png16_interlaced"
  case webp
  case losslessWebP = "webp_lossless"

  var label: String {
    switch self {
    case .progressiveJPEG: "progressive JPEG"
    case .png: "PNG"
    case .pngWithAlpha: "PNG with alpha"
    case .png16: "PNG, 16 bits"
    case .interlacedPNG: "interlaced PNG"
    case .interlacedPNG16: "interlaced PNG, 16 bits"
    case .webp: "WebP"
    case .losslessWebP: "lossless WebP"
    }
  }

  var isOpaque: Bool { self != .pngWithAlpha }
}
