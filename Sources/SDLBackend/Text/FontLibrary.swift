import CSDL
import Glibc
import VitrineGraphics
import VitrineWidgets

/// Measures and draws text with SDL_ttf. Opens a font for each weight and size in pixels when it is first used, at most
/// 24 at a time.
@MainActor
final class FontLibrary: TextMeasuring {
  /// A weight and size of a font: one open font of SDL_ttf.
  struct Face: Hashable {
    let weight: Font.Weight
    /// The height of the em square in pixels.
    let size: Int
  }

  /// The maximum number of Unicode scalars of a text that are measured and drawn. No screen is wide enough for more.
  nonisolated static let longestText = 2000
  /// The maximum width of a mask in pixels. Wider texts are truncated.
  nonisolated static let widestMask = 8192
  private static let maximumOpenFonts = 24
  /// The maximum number of texts whose sizes are kept.
  private static let maximumSizes = 8192

  /// The number of pixels per point.
  var scale: Double { didSet { if scale != oldValue { sizes.removeAll() } } }

  private let paths: [Font.Weight: String]
  /// The open fonts in the order of opening.
  private var fonts = RecentMap<Face, OpaquePointer>()
  /// The sizes of texts in the order of use.
  private var sizes = RecentMap<TextKey, (width: Int, height: Int)>()
  private var isOpen = true

  /// Opens both fonts. Throws an error if a file of `fonts` is missing or is not a font.
  init(fonts paths: FontPaths, scale: Double) throws(SDLHostError) {
    self.paths = [.regular: paths.regular, .bold: paths.bold]
    self.scale = scale
    guard TTF_Init() == 0 else { throw .font(path: paths.regular, message: SDLHostError.sdlMessage) }
    for weight in [Font.Weight.regular, .bold] {
      guard font(Face(weight: weight, size: 16)) == nil else { continue }
      let path = weight == .bold ? paths.bold : paths.regular
      let error: SDLHostError =
        access(path, R_OK) == 0
        ? .font(path: path, message: SDLHostError.sdlMessage) : .missingFont(path: path)
      close()
      throw error
    }
  }

  isolated deinit { close() }

  /// Closes all fonts. Nothing can be measured or drawn afterwards. Further calls do nothing.
  func close() {
    guard isOpen else { return }
    isOpen = false
    for (_, font) in fonts.oldestFirst { TTF_CloseFont(font) }
    fonts.removeAll()
    TTF_Quit()
  }

  // MARK: Measuring

  func size(of text: String, font: Font) -> Size {
    let key = key(for: text, font)
    let size = pixelSize(of: key)
    return Size(width: Double(size.width) / scale, height: Double(size.height) / scale)
  }

  /// Returns the key under which a text is measured and drawn: truncated, with the font's size in pixels.
  func key(for text: String, _ font: Font) -> TextKey {
    let pixels = font.size * scale
    let size = pixels.isFinite ? Int(min(1000, max(1, pixels.rounded()))) : 1
    let isLong = text.utf8.count > Self.longestText && text.unicodeScalars.count > Self.longestText
    let truncated = isLong ? String(text.unicodeScalars.prefix(Self.longestText)) : text
    return TextKey(text: truncated, font: Face(weight: font.weight, size: size))
  }

  private func pixelSize(of key: TextKey) -> (width: Int, height: Int) {
    if let size = sizes.use(key, { $0 }) { return size }
    guard let font = font(key.font) else { return (0, key.font.size) }
    var width: Int32 = 0
    var height: Int32 = 0
    if key.text.isEmpty || TTF_SizeUTF8(font, key.text, &width, &height) != 0 { width = 0 }
    let size = (width: Int(width), height: Int(TTF_FontHeight(font)))
    if sizes.count >= Self.maximumSizes { sizes.removeOldest() }
    sizes.insert(size, for: key)
    return size
  }

  // MARK: Drawing

  /// Returns the coverage of a line of text; `nil` if the text is empty or cannot be drawn.
  func mask(for key: TextKey) -> CoverageMask? {
    guard !key.text.isEmpty, let font = font(key.font) else { return nil }
    var text = key.text
    if pixelSize(of: key).width > Self.widestMask {
      var count: Int32 = 0
      TTF_MeasureUTF8(font, text, Int32(Self.widestMask), nil, &count)
      text = String(text.unicodeScalars.prefix(Int(count)))
    }
    let white = SDL_Color(r: 255, g: 255, b: 255, a: 255)
    guard let surface = TTF_RenderUTF8_Blended(font, text, white) else { return nil }
    defer { SDL_FreeSurface(surface) }
    let width = Int(surface.pointee.w)
    let height = Int(surface.pointee.h)
    let pitch = Int(surface.pointee.pitch)
    guard width > 0, height > 0, let pixels = surface.pointee.pixels else { return nil }
    // Blended surfaces are 0xAARRGGBB with the coverage as alpha.
    let coverage = [UInt8](unsafeUninitializedCapacity: width * height) { buffer, count in
      for y in 0..<height {
        for x in 0..<width {
          buffer[y * width + x] = pixels.load(fromByteOffset: y * pitch + x * 4 + 3, as: UInt8.self)
        }
      }
      count = width * height
    }
    return CoverageMask(width: width, height: height, coverage: coverage)
  }

  private func font(_ face: Face) -> OpaquePointer? {
    if let font = fonts[face] { return font }
    guard isOpen, let path = paths[face.weight], let font = TTF_OpenFont(path, Int32(face.size)) else {
      return nil
    }
    TTF_SetFontKerning(font, 1)
    TTF_SetFontHinting(font, TTF_HINTING_LIGHT)
    if fonts.count >= Self.maximumOpenFonts, let (_, closed) = fonts.removeOldest() { TTF_CloseFont(closed) }
    fonts.insert(font, for: face)
    return font
  }
}
