import CSDL
import Glibc
public import VitrineGraphics
public import VitrineLoading

/// An error from loading an image file of the application.
public struct AssetImageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The path of the file.
  public let path: String
  /// The reason for the failure.
  public let reason: ImageError

  /// One line that names the file and the reason.
  public var description: String {
    switch reason {
    case .unreadableFile: "\(reason)"
    case .emptyBody: "\(path): the file is empty"
    case .notAnImage: "\(path): the file is not an image of a known format"
    default: "\(path): \(reason)"
    }
  }
}

/// Loads images that are shipped with the application: icons, backgrounds, placeholders.
///
/// **Never use this for bytes from the network**: formats other than JPEG, PNG, WebP and GIF are decoded by SDL2_image,
/// which crashes or hangs on hostile files. Use `ImageCodecs` for such bytes.
public enum AssetImage {
  /// Decodes all pixels of a file on the calling thread: with `ImageCodecs` if it supports the format, otherwise with
  /// SDL2_image (BMP, TGA, TIFF, SVG, …). Images from SDL2_image have the format `.raw`.
  ///
  /// The scale comes from the file name, such as `icon@2x.png`; see `Image.scale(named:)`.
  ///
  /// Throws an `AssetImageError` with the path of the file. Its reason is `.unreadableFile`, `.notAnImage` for a format
  /// that neither decoder supports, or the error that `ImageCodecs` has thrown.
  public static func load(
    contentsOf path: String, pixelFormat: PixelFormat = .bgra
  ) throws(AssetImageError) -> Image {
    do throws(ImageError) {
      return try decode(contentsOf: path, pixelFormat)
    } catch {
      throw AssetImageError(path: path, reason: error)
    }
  }

  private static func decode(contentsOf path: String, _ pixelFormat: PixelFormat) throws(ImageError) -> Image
  {
    let bytes = try read(path)
    do {
      return try ImageCodecs().decode(bytes, options: DecodeOptions(pixelFormat: pixelFormat))
        .withScale(Image.scale(named: path))
    } catch .notAnImage(let signature) {
      guard let bitmap = decodeBySDL(bytes, path: path, pixelFormat: pixelFormat) else {
        throw .notAnImage(signature: signature)
      }
      return Image(bitmap, scale: Image.scale(named: path))
    }
  }

  private static func read(_ path: String) throws(ImageError) -> [UInt8] {
    func unreadable() -> ImageError {
      .unreadableFile(path: path, message: String(cString: strerror(errno)))
    }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw unreadable() }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(file, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw unreadable() }
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
    }
  }

  private static func decodeBySDL(_ bytes: [UInt8], path: String, pixelFormat: PixelFormat) -> Bitmap? {
    let pixels = pixelFormat == .bgra ? SDL_PIXELFORMAT_ARGB8888 : SDL_PIXELFORMAT_ABGR8888
    // SDL stores its last error per thread, and releases it by itself only on threads that SDL has created.
    defer { SDL_TLSCleanup() }
    // A format without a signature (TGA) is recognized by the file name.
    let type = path.split(separator: ".").last.map { $0.uppercased() } ?? ""
    let loaded = bytes.withUnsafeBytes { content in
      IMG_LoadTyped_RW(SDL_RWFromConstMem(content.baseAddress, Int32(content.count)), 1, type)
    }
    guard let loaded else { return nil }
    defer { SDL_FreeSurface(loaded) }
    guard let surface = SDL_ConvertSurfaceFormat(loaded, UInt32(pixels.rawValue), 0) else { return nil }
    defer { SDL_FreeSurface(surface) }
    let width = Int(surface.pointee.w)
    let height = Int(surface.pointee.h)
    guard width > 0, height > 0, let source = surface.pointee.pixels else { return nil }
    let bitmap = Bitmap(width: width, height: height, format: pixelFormat, isOpaque: false) {
      target, bytesPerRow in
      for y in 0..<height {
        let row = UnsafeRawBufferPointer(start: source + y * Int(surface.pointee.pitch), count: bytesPerRow)
        target[(y * bytesPerRow)..<((y + 1) * bytesPerRow)].copyBytes(from: row)
      }
    }
    return bitmap.assumingOpaque(bitmap.hasOnlyOpaquePixels)
  }
}
