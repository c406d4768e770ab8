import CCodecs
import VitrineGraphics

/// A conversion of pixels from a color profile to sRGB, by Little CMS.
final class ColorConversion {
  /// The content of the four bytes of a pixel before the conversion.
  enum Model {
    case rgb
    /// Gray as equal red, green and blue.
    case gray
    /// Cyan, magenta, yellow and black, inverted as Adobe writes them.
    case cmyk
  }

  let model: Model
  private let handle: UnsafeMutablePointer<vitrine_colors>

  /// Returns `nil` if no conversion is needed or possible: for sRGB, and for a profile that is damaged or does not fit
  /// `model`.
  init?(_ profile: ICCProfile, of model: Model, as format: PixelFormat) {
    guard !profile.isSRGB else { return nil }
    // A gray image may have the RGB profile of the image from which it was made.
    let used = model == .gray && profile.colors == .rgb ? .rgb : model
    let layout =
      switch used {
      case .rgb: vitrine_color_rgb
      case .gray: vitrine_color_gray
      case .cmyk: vitrine_color_cmyk
      }
    guard let handle = vitrine_colors_open(profile.bytes, profile.bytes.count, layout, format == .bgra) else {
      return nil
    }
    self.handle = handle
    self.model = used
  }

  deinit { vitrine_colors_close(handle) }

  /// Converts pixels in place. Alpha is kept; CMYK pixels become opaque.
  func convert(_ pixels: UnsafeMutableRawPointer, count: Int) {
    let bytes = pixels.assumingMemoryBound(to: UInt8.self)
    vitrine_colors_convert(handle, bytes, count)
    guard model == .cmyk else { return }
    for alpha in stride(from: 3, to: count * PixelFormat.bytesPerPixel, by: 4) { bytes[alpha] = 255 }
  }
}
