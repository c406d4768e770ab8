import CCodecs
import VitrineGraphics

/// Converts pixels from the colours of a profile to sRGB, by Little CMS.
final class ColorConversion {
  /// What the four bytes of a pixel hold before.
  enum Model {
    case rgb
    /// The same red, green and blue.
    case gray
    /// Cyan, magenta, yellow and black, inverted as Adobe writes them.
    case inks
  }

  let model: Model
  private let handle: UnsafeMutablePointer<vitrine_colors>

  /// Nil where there is nothing to convert: for sRGB, and for a profile that is damaged or of other colours.
  init?(_ profile: ICCProfile, of model: Model, as format: PixelFormat) {
    guard !profile.isSRGB else { return nil }
    // A grey picture may well have the profile of the colours that it was made of.
    let used = model == .gray && profile.colors == .rgb ? .rgb : model
    let layout =
      switch used {
      case .rgb: vitrine_color_rgb
      case .gray: vitrine_color_gray
      case .inks: vitrine_color_inks
      }
    guard let handle = vitrine_colors_open(profile.bytes, profile.bytes.count, layout, format == .bgra) else {
      return nil
    }
    self.handle = handle
    self.model = used
  }

  deinit { vitrine_colors_close(handle) }

  /// Converts in place. Alpha stays as it is; inks become opaque.
  func convert(_ pixels: UnsafeMutableRawPointer, count: Int) {
    let bytes = pixels.assumingMemoryBound(to: UInt8.self)
    vitrine_colors_convert(handle, bytes, count)
    guard model == .inks else { return }
    for alpha in stride(from: 3, to: count * PixelFormat.bytesPerPixel, by: 4) { bytes[alpha] = 255 }
  }
}
