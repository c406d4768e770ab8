import CSDL
import VitrineGraphics

/// Pixels in the device's memory, drawn one to one. Pixels that exceed the device's maximum texture size are split into
/// tiles.
@MainActor
final class OpenGLTexture {
  private struct Tile {
    let texture: OpaquePointer
    /// The tile's part of the image.
    let rect: PixelRect
  }

  private let device: OpenGLDevice
  private let isOpaque: Bool
  private var tiles: [Tile] = []
  /// True if the texture is sampled bilinearly at present.
  private var isSmooth = false

  /// Uploads pixels, red first. Returns `nil` if the device has no memory for them.
  init?(_ pixels: ImagePixels, width: Int, height: Int, device: OpenGLDevice) {
    self.device = device
    isOpaque = pixels.isBodyOpaque && pixels.cornerRadius == 0
    for top in stride(from: 0, to: height, by: device.largestSide) {
      for left in stride(from: 0, to: width, by: device.largestSide) {
        let rect = PixelRect(
          left: left, top: top, right: min(left + device.largestSide, width),
          bottom: min(top + device.largestSide, height))
        guard let texture = Self.upload(pixels, rect, device) else { return nil }
        tiles.append(Tile(texture: texture, rect: rect))
      }
    }
  }

  isolated deinit {
    // A closed device has already destroyed its textures.
    guard device.renderer != nil else { return }
    for tile in tiles { SDL_DestroyTexture(tile.texture) }
  }

  private static func upload(
    _ pixels: ImagePixels, _ rect: PixelRect, _ device: OpenGLDevice
  ) -> OpaquePointer? {
    guard let renderer = device.renderer,
      let texture = SDL_CreateTexture(
        renderer, OpenGLDevice.sdlFormat, Int32(SDL_TEXTUREACCESS_STATIC.rawValue), Int32(rect.width),
        Int32(rect.height))
    else { return nil }
    SDL_SetTextureScaleMode(texture, SDL_ScaleModeNearest)
    let bitmap = pixels.bitmap
    let column = pixels.x + rect.left
    let start = (pixels.y + rect.top) * bitmap.bytesPerRow + column * PixelFormat.bytesPerPixel
    let isUploaded = bitmap.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return false }
      return SDL_UpdateTexture(texture, nil, base + start, Int32(bitmap.bytesPerRow)) == 0
    }
    if !isUploaded { SDL_DestroyTexture(texture) }
    return isUploaded ? texture : nil
  }

  /// Draws the part that lies in `clip`. `x` and `y` are the position of the top left corner.
  func draw(x: Int, y: Int, clip: PixelRect, effect: PixelEffect) {
    for tile in tiles {
      let frame = PixelRect(
        left: x + tile.rect.left, top: y + tile.rect.top, right: x + tile.rect.right,
        bottom: y + tile.rect.bottom)
      let visible = frame.intersection(clip)
      guard !visible.isEmpty else { continue }
      var source = SDL_Rect(visible)
      source.x -= Int32(frame.left)
      source.y -= Int32(frame.top)
      var target = SDL_Rect(visible)
      apply(effect, to: tile.texture)
      SDL_RenderCopy(device.renderer, tile.texture, &source, &target)
    }
  }

  /// Draws the texture stretched. The sources of the spans must lie inside the texture.
  func draw(columns: [MaskSpan], rows: [MaskSpan], clip: PixelRect, effect: PixelEffect) {
    for tile in tiles {
      apply(effect, to: tile.texture)
      for row in rows {
        guard let row = row.clipped(to: clip.top..<clip.bottom, of: tile.rect.top..<tile.rect.bottom) else {
          continue
        }
        for column in columns {
          let column = column.clipped(to: clip.left..<clip.right, of: tile.rect.left..<tile.rect.right)
          guard let column else { continue }
          var source = SDL_Rect(
            PixelRect(
              left: column.source.lowerBound - tile.rect.left, top: row.source.lowerBound - tile.rect.top,
              right: column.source.upperBound - tile.rect.left,
              bottom: row.source.upperBound - tile.rect.top))
          var target = SDL_Rect(
            PixelRect(
              left: column.target.lowerBound, top: row.target.lowerBound, right: column.target.upperBound,
              bottom: row.target.upperBound))
          SDL_RenderCopy(device.renderer, tile.texture, &source, &target)
        }
      }
    }
  }

  /// Draws the whole texture with each pixel enlarged to a block of `block` x `block` pixels.
  func draw(x: Int, y: Int, block: Int, clip: PixelRect, effect: PixelEffect) {
    var clip = SDL_Rect(clip)
    SDL_RenderSetClipRect(device.renderer, &clip)
    for tile in tiles {
      var target = SDL_Rect(
        x: Int32(x + tile.rect.left * block), y: Int32(y + tile.rect.top * block),
        w: Int32(tile.rect.width * block), h: Int32(tile.rect.height * block))
      apply(effect, to: tile.texture)
      SDL_RenderCopy(device.renderer, tile.texture, nil, &target)
    }
    SDL_RenderSetClipRect(device.renderer, nil)
  }

  /// Draws a part of the texture into a rectangle with bilinear sampling. The part may begin and end at fractions of a
  /// pixel.
  func draw(_ source: Rect, in rect: PixelRect, clip: PixelRect, effect: PixelEffect) {
    var clip = SDL_Rect(rect.intersection(clip))
    SDL_RenderSetClipRect(device.renderer, &clip)
    let (scaleX, scaleY) = (Double(rect.width) / source.width, Double(rect.height) / source.height)
    for tile in tiles {
      var target = SDL_FRect(
        x: Float(Double(rect.left) + (Double(tile.rect.left) - source.minX) * scaleX),
        y: Float(Double(rect.top) + (Double(tile.rect.top) - source.minY) * scaleY),
        w: Float(Double(tile.rect.width) * scaleX), h: Float(Double(tile.rect.height) * scaleY))
      apply(effect, to: tile.texture, isSmooth: true)
      SDL_RenderCopyF(device.renderer, tile.texture, nil, &target)
    }
    SDL_RenderSetClipRect(device.renderer, nil)
  }

  private func apply(_ effect: PixelEffect, to texture: OpaquePointer, isSmooth: Bool = false) {
    if self.isSmooth != isSmooth {
      self.isSmooth = isSmooth
      // Takes effect at once, also for drawings that are still queued.
      SDL_RenderFlush(device.renderer)
      for tile in tiles {
        SDL_SetTextureScaleMode(tile.texture, isSmooth ? SDL_ScaleModeLinear : SDL_ScaleModeNearest)
      }
    }
    let blends = !isOpaque || effect.opacity < 255
    SDL_SetTextureBlendMode(texture, blends ? SDL_BLENDMODE_BLEND : SDL_BLENDMODE_NONE)
    SDL_SetTextureAlphaMod(texture, UInt8(effect.opacity))
    let tint = effect.tint ?? 0xFFFF_FFFF
    SDL_SetTextureColorMod(
      texture, UInt8(truncatingIfNeeded: tint &>> 16), UInt8(truncatingIfNeeded: tint &>> 8),
      UInt8(truncatingIfNeeded: tint))
  }
}

extension SDL_Rect {
  init(_ rect: PixelRect) {
    self.init(x: Int32(rect.left), y: Int32(rect.top), w: Int32(rect.width), h: Int32(rect.height))
  }
}
