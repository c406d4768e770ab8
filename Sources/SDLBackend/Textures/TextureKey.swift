import VitrineGraphics

/// What a picture looks like on the screen, apart from opacity and tint: textures with equal keys are the same.
nonisolated struct PictureKey: Hashable {
  let image: ObjectIdentifier
  let frame: Int
  /// The part of the bitmap, in its pixels.
  let source: Rect
  /// In pixels of the screen.
  let width: Int
  let height: Int
  let cornerRadius: Int
}

/// A line of text in one face and size; the colour comes in when it is drawn.
nonisolated struct TextKey: Hashable {
  let text: String
  let font: FontLibrary.Face
}

nonisolated enum TextureKey: Hashable {
  case picture(PictureKey)
  case text(TextKey)
}

nonisolated enum Texture {
  case picture(PictureTexture)
  case text(TextMask)

  var byteCount: Int {
    switch self {
    case .picture(let texture): texture.bitmap.byteCount
    case .text(let mask): mask.coverage.count
    }
  }
}
