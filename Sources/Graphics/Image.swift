import Synchronization

/// What a slot shows: a picture, still or animated, in memory and ready to draw.
///
/// Images are compared by identity: the cache returns the same instance each time, and whoever holds it can
/// tell with `===` (or `==`) that nothing was decoded again. Immutable, so it may cross threads.
public final class Image: Sendable {
  /// One picture of an animation, or the only one of a still image.
  public struct Frame: Sendable {
    /// The pixels.
    public let bitmap: Bitmap
    /// How long it is shown, in seconds; 0 in a still image.
    public let duration: Double

    /// A frame; 0 seconds, for a still image, unless said otherwise.
    public init(bitmap: Bitmap, duration: Double = 0) {
      self.bitmap = bitmap
      self.duration = duration
    }
  }

  /// Whether it is drawn in its own colours.
  public enum RenderingMode: Hashable, Sendable {
    /// As the view says that shows it; in its own colours unless that says otherwise.
    case automatic
    /// In its own colours.
    case alwaysOriginal
    /// As a stencil: all of it in the view's tint colour, its alpha kept.
    case alwaysTemplate
  }

  /// Tells it apart from every other image of the process, in a `Trace`.
  public let number = Image.numbers.wrappingAdd(1, ordering: .relaxed).newValue
  /// At least one; all of one size.
  public let frames: [Frame]
  /// Pixels to a point: 2 for a picture made for a screen of twice the density.
  public let scale: Double
  /// What it was decoded from.
  public let format: ImageFormat
  /// Width and height in pixels of the encoded picture, orientation applied. Larger than the bitmap when the
  /// picture was decoded to the size that a slot needed.
  public let sourceWidth: Int
  /// Height in pixels of the encoded picture, as `sourceWidth`.
  public let sourceHeight: Int
  /// Whether it is drawn in its own colours; `automatic` unless it was made `withRenderingMode`.
  public let renderingMode: RenderingMode
  /// Whether more of it is on its way: it is shown meanwhile, and kept nowhere (SD-M11).
  public let isPartial: Bool
  /// The application's own data by name, stored with the image in caches; empty unless the image was made by
  /// `withUserData`.
  public let userData: [String: [UInt8]]

  /// A picture of one frame or several; decoded whole, one pixel to a point, unless said otherwise.
  ///
  /// - Precondition: `frames` is not empty.
  public init(
    frames: [Frame], scale: Double = 1, format: ImageFormat = .raw,
    sourceWidth: Int? = nil, sourceHeight: Int? = nil, isPartial: Bool = false
  ) {
    precondition(!frames.isEmpty, "an image has at least one frame")
    self.frames = frames
    self.scale = scale
    self.format = format
    self.sourceWidth = sourceWidth ?? frames[0].bitmap.width
    self.sourceHeight = sourceHeight ?? frames[0].bitmap.height
    renderingMode = .automatic
    self.isPartial = isPartial
    userData = [:]
  }

  /// Counts the pixels in a ledger; empty for images that were not loaded by a downloader.
  private let memoryReference = AtomicLazyReference<ImageMemory>()
  var memory: ImageMemory? { memoryReference.load() }
  /// True if the pixels are counted in a ledger, as shown or by a cache.
  package var isCounted: Bool { memory != nil }

  func setMemory(_ memory: ImageMemory) { _ = memoryReference.storeIfNil(memory) }

  private init(
    _ other: Image, scale: Double? = nil, renderingMode: RenderingMode? = nil, isPartial: Bool? = nil,
    userData: [String: [UInt8]]? = nil
  ) {
    frames = other.frames
    self.scale = scale ?? other.scale
    format = other.format
    sourceWidth = other.sourceWidth
    sourceHeight = other.sourceHeight
    self.renderingMode = renderingMode ?? other.renderingMode
    self.isPartial = isPartial ?? other.isPartial
    self.userData = userData ?? other.userData
    if let memory = other.memory { setMemory(memory) }
  }

  /// The same pixels as a picture of which more is on its way; this one if it is that already.
  package var asPartial: Image {
    isPartial ? self : Image(self, isPartial: true)
  }

  /// The same picture, drawn in another way: a new image that shares the pixels, or this one if nothing changes.
  ///
  /// ```swift
  /// button.setImage(icon.withRenderingMode(.alwaysTemplate), for: .normal)
  /// button.tintColor = Color(hex: 0xFFD040)
  /// ```
  public func withRenderingMode(_ mode: RenderingMode) -> Image {
    mode == renderingMode ? self : Image(self, renderingMode: mode)
  }

  /// Returns an image with the same pixels and another number of pixels per point: a new image that shares the pixels,
  /// or this image if the scale is unchanged. A scale that is not a positive number is ignored.
  public func withScale(_ scale: Double) -> Image {
    scale == self.scale || !(scale > 0 && scale.isFinite) ? self : Image(self, scale: scale)
  }

  /// Returns an image with the same pixels and the application's own data, which memory and disk caches keep with the
  /// image (SDWebImage's `sd_extendedObject`): a new image that shares the pixels, or this image if the data are
  /// unchanged.
  public func withUserData(_ userData: [String: [UInt8]]) -> Image {
    userData == self.userData ? self : Image(self, userData: userData)
  }

  /// Returns the scale in a file name or URL such as `photo@2x.png`; 1 for a name without a scale.
  ///
  /// The number stands between `@` and `x` at the end of the name, before the extension. The query and the fragment of
  /// a URL are ignored.
  public static func scale(named name: String) -> Double {
    let path = name.prefix { $0 != "?" && $0 != "#" }
    let file = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
    let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? file
    guard stem.last == "x", let mark = stem.lastIndex(of: "@") else { return 1 }
    let digits = stem[stem.index(after: mark)...].dropLast()
    guard (1...2).contains(digits.count), digits.allSatisfy({ ("0"..."9").contains($0) }),
      let scale = Double(digits), scale > 0
    else { return 1 }
    return scale
  }

  /// A still image of one bitmap.
  public convenience init(
    _ bitmap: Bitmap, scale: Double = 1, format: ImageFormat = .raw,
    sourceWidth: Int? = nil, sourceHeight: Int? = nil, isPartial: Bool = false
  ) {
    self.init(
      frames: [Frame(bitmap: bitmap)], scale: scale, format: format, sourceWidth: sourceWidth,
      sourceHeight: sourceHeight, isPartial: isPartial)
  }

  private static let numbers = Atomic<UInt64>(0)
  private let showings = Atomic<Int>(0)

  /// Whether a slot shows it now; see `Showing`.
  package var isShown: Bool { showings.load(ordering: .relaxed) > 0 }

  /// That somebody shows an image, for as long as it lives: letting go of what is seen frees nothing, and it would have
  /// to be loaded again.
  package struct Showing: ~Copyable, Sendable {
    private let image: Image

    package init(_ image: Image) {
      self.image = image
      image.showings.add(1, ordering: .relaxed)
    }

    deinit { image.showings.subtract(1, ordering: .relaxed) }
  }

  /// The first frame, which is all of a still image.
  public var bitmap: Bitmap { frames[0].bitmap }
  /// Decoded width in pixels.
  public var pixelWidth: Int { bitmap.width }
  /// Decoded height in pixels.
  public var pixelHeight: Int { bitmap.height }
  /// Natural size in points: decoded pixels divided by the scale.
  public var size: Size {
    Size(width: Double(pixelWidth) / scale, height: Double(pixelHeight) / scale)
  }
  /// Whether there is more than one frame.
  public var isAnimated: Bool { frames.count > 1 }
  /// Whether it holds every pixel of its source: nothing larger can be decoded.
  public var isFullSize: Bool { pixelWidth >= sourceWidth && pixelHeight >= sourceHeight }
  /// What it counts for in a cache: bytes of all its frames.
  public var cost: Int { frames.reduce(0) { $0 + $1.bitmap.byteCount } }
}

extension Image: Hashable {
  /// Whether the two are the same instance.
  public static func == (a: Image, b: Image) -> Bool { a === b }
  /// By identity, as `==`.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
