import Synchronization

/// A still or animated image in memory, ready to be drawn.
///
/// An animated image has the pixels of its first frame, and an `animation` from which the other frames are decoded when
/// they are shown. Everything that takes an image works with the first frame; views play the animation.
///
/// Images are compared by identity. A cache returns the same instance for each hit, so `===` (or `==`) shows that
/// nothing was decoded again. The visible properties never change, and an image may be used from any thread.
public final class Image: Sendable {
  /// A frame of an animation that is made in memory.
  public struct Frame: Sendable {
    /// The pixels.
    public let bitmap: Bitmap
    /// The display time in seconds.
    public let duration: Double

    /// Creates a frame. The default duration is 0.1 s.
    public init(bitmap: Bitmap, duration: Double = 0.1) {
      self.bitmap = bitmap
      self.duration = duration
    }
  }

  /// The choice between drawing an image in the image's own colors and drawing a template.
  public enum RenderingMode: Hashable, Sendable {
    /// The view that shows the image decides; by default it uses the image's own colors.
    case automatic
    /// The image is drawn in the image's own colors.
    case alwaysOriginal
    /// The image is drawn as a template: all pixels have the view's tint color and keep their alpha.
    case alwaysTemplate
  }

  /// A number that identifies the image in a `Trace`; unique in the process, except that `firstFrame` has the number of
  /// its image.
  package let number: UInt64
  /// The pixels; the first frame of an animated image.
  public let bitmap: Bitmap
  /// The frames of an animated image; `nil` for a still image.
  public let animation: ImageAnimation?
  /// The number of pixels per point; 2 for an image made for a screen of twice the density.
  public let scale: Double
  /// The encoding from which the image was decoded; `.raw` if the pixels were created in memory.
  public let format: ImageFormat
  /// The width of the encoded image in pixels, with the orientation applied. Larger than the bitmap if the image was
  /// decoded to the size that a slot needed.
  public let sourceWidth: Int
  /// The height of the encoded image in pixels, with the orientation applied.
  public let sourceHeight: Int
  /// The choice between drawing the image's own colors and drawing a template; `.automatic` unless the image was made
  /// by `withRenderingMode`.
  public let renderingMode: RenderingMode
  /// True if the image is a preview: incomplete, shown while the rest loads, and never cached.
  public let isPreview: Bool
  /// The application's own data by name, stored with the image in caches; empty unless the image was made by
  /// `withUserData`.
  public let userData: [String: [UInt8]]
  /// The title and the time in the encoded image; `nil` if it states none, for previews, and for images from a pixel
  /// cache of the application that does not keep them.
  public let metadata: ImageMetadata?
  /// The identity of the encoded bytes; `nil` if unknown, and for an image of which no regions are decoded.
  package let content: ContentID?

  /// Creates an image from a bitmap.
  ///
  /// - Parameters:
  ///   - bitmap: The pixels; of an animated image, those of the first frame.
  ///   - animation: The frames of an animated image, the first of which is `bitmap`; `nil` for a still image. An
  ///     animation of a single frame is ignored.
  ///   - scale: The number of pixels per point.
  ///   - format: The encoding from which the image was decoded.
  ///   - sourceWidth: The width of the encoded image in pixels; `nil` for the width of the bitmap.
  ///   - sourceHeight: The height of the encoded image in pixels; `nil` for the height of the bitmap.
  ///   - isPreview: True for an incomplete image that is shown while the rest loads.
  ///   - metadata: The title and the time in the encoded image.
  public init(
    _ bitmap: Bitmap, animation: ImageAnimation? = nil, scale: Double = 1, format: ImageFormat = .raw,
    sourceWidth: Int? = nil, sourceHeight: Int? = nil, isPreview: Bool = false, metadata: ImageMetadata? = nil
  ) {
    self.bitmap = bitmap
    self.animation = animation.flatMap { $0.frameCount > 1 ? $0 : nil }
    self.scale = scale
    self.format = format
    self.sourceWidth = sourceWidth ?? bitmap.width
    self.sourceHeight = sourceHeight ?? bitmap.height
    renderingMode = .automatic
    self.isPreview = isPreview
    self.metadata = metadata
    content = nil
    userData = [:]
    number = Self.nextNumber
  }

  /// Creates an animated image from frames in memory, or a still image from one frame.
  ///
  /// - Parameters:
  ///   - frames: The frames in the order in which they are shown.
  ///   - loopCount: The number of times that the animation is played; 0 for ever.
  ///   - scale: The number of pixels per point.
  ///   - format: The encoding from which the image was decoded.
  ///   - sourceWidth: The width of the encoded image in pixels; `nil` for the width of the first frame.
  ///   - sourceHeight: The height of the encoded image in pixels; `nil` for the height of the first frame.
  ///   - isPreview: True for an incomplete image that is shown while the rest loads.
  /// - Precondition: `frames` is not empty.
  public convenience init(
    frames: [Frame], loopCount: Int = 0, scale: Double = 1, format: ImageFormat = .raw,
    sourceWidth: Int? = nil, sourceHeight: Int? = nil, isPreview: Bool = false
  ) {
    precondition(!frames.isEmpty, "an image has at least one frame")
    self.init(
      frames[0].bitmap, animation: ImageAnimation(frames, loopCount: loopCount), scale: scale, format: format,
      sourceWidth: sourceWidth, sourceHeight: sourceHeight, isPreview: isPreview)
  }

  /// The accounting of the pixels in a ledger; empty for images that were not loaded by a downloader.
  private let memoryReference = AtomicLazyReference<ImageMemory>()
  var memory: ImageMemory? { memoryReference.load() }
  /// The ledger in which the pixels are counted; `nil` for images that were not loaded by a downloader.
  package var ledger: MemoryLedger? { memory?.ledger }
  /// True if the pixels are counted in a ledger, as shown or by a cache.
  package var isCounted: Bool { memory != nil }

  func setMemory(_ memory: ImageMemory) { _ = memoryReference.storeIfNil(memory) }

  private let versionNumber = Atomic<UInt64>(0)
  /// A number that images have in common if they were made from responses that their server has given the same
  /// validator; 0 if unknown, and for images that were not loaded by a downloader.
  package var version: UInt64 {
    get { versionNumber.load(ordering: .relaxed) }
    set { versionNumber.store(newValue, ordering: .relaxed) }
  }

  private let expiryTime = Atomic<Int64>(.max)
  /// The time in nanoseconds, by the clock of the downloader that loaded the image, after which the image in memory may
  /// be out of date; `.max` for never. Copies of an image never expire.
  package var expiry: Int64 {
    get { expiryTime.load(ordering: .relaxed) }
    set { expiryTime.store(newValue, ordering: .relaxed) }
  }

  private let confirmationTime = Atomic<Int64>(.max)
  /// The time in nanoseconds, by the same clock as `expiry`, at which the server last sent or confirmed the response;
  /// meaningless for an image that never expires.
  package var confirmed: Int64 {
    get { confirmationTime.load(ordering: .relaxed) }
    set { confirmationTime.store(newValue, ordering: .relaxed) }
  }

  private let isStrict = Atomic(false)
  /// True if the image must not be shown after `expiry` before its server has confirmed it.
  package var requiresRevalidation: Bool {
    get { isStrict.load(ordering: .relaxed) }
    set { isStrict.store(newValue, ordering: .relaxed) }
  }

  /// Makes the image expire like another one.
  package func expire(like other: Image) {
    (expiry, confirmed) = (other.expiry, other.confirmed)
    requiresRevalidation = other.requiresRevalidation
  }

  /// The image without an expiry: a copy that shares the pixels if the image has one.
  package var withoutExpiry: Image { expiry == .max ? self : Image(self) }

  /// True if the version of the image and that of another one are known, and differ.
  package func hasOtherVersion(than other: UInt64) -> Bool { version != 0 && other != 0 && version != other }

  /// True if the version of the image and that of another one are known and equal.
  package func hasSameVersion(as other: UInt64) -> Bool { version != 0 && version == other }

  private init(
    _ other: Image, scale: Double? = nil, renderingMode: RenderingMode? = nil, isPreview: Bool? = nil,
    userData: [String: [UInt8]]? = nil, metadata: ImageMetadata? = nil, content: ContentID? = nil,
    isStill: Bool = false, storage: FrameStorage? = nil
  ) {
    bitmap = other.bitmap
    animation = isStill ? nil : storage.map { other.animation?.stored(as: $0) } ?? other.animation
    self.scale = scale ?? other.scale
    format = other.format
    sourceWidth = other.sourceWidth
    sourceHeight = other.sourceHeight
    self.renderingMode = renderingMode ?? other.renderingMode
    self.isPreview = isPreview ?? other.isPreview
    self.userData = userData ?? other.userData
    self.metadata = metadata ?? other.metadata
    self.content = content ?? other.content
    // The first frame of an image is as fresh as the image.
    number = isStill ? other.number : Self.nextNumber
    if let memory = other.memory { setMemory(memory) }
    version = other.version
  }

  /// The image marked as a preview: a new image that shares the pixels, or this image if it is a preview already.
  package var asPreview: Image { isPreview ? self : Image(self, isPreview: true) }

  /// Returns an image with another rendering mode: a new image that shares the pixels, or this image if the mode is
  /// unchanged.
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

  /// Returns the image with the metadata of the image that it was made from: a new image that shares the pixels, or this
  /// image if it has metadata of its own, or the other has none.
  package func keepingMetadata(of source: Image) -> Image {
    guard metadata == nil, let metadata = source.metadata else { return self }
    return Image(self, metadata: metadata)
  }

  /// Returns the image with the identity of its encoded bytes: a new image that shares the pixels, or this image if no
  /// regions of it are decoded.
  package func identified(by content: @autoclosure () -> ContentID) -> Image {
    mayHaveRegions ? Image(self, content: content()) : self
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

  private static let lastNumber = Atomic<UInt64>(0)
  private static var nextNumber: UInt64 { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }
  private let showingCount = Atomic<Int>(0)

  /// True while at least one `Showing` of this image exists.
  package var isShown: Bool { showingCount.load(ordering: .relaxed) > 0 }

  /// Marks an image as shown on the screen for as long as the value exists. Caches spare shown images: evicting them
  /// frees no memory, and they would have to be loaded again.
  package struct Showing: ~Copyable, Sendable {
    private let image: Image

    package init(_ image: Image) {
      self.image = image
      image.showingCount.add(1, ordering: .relaxed)
    }

    deinit { image.showingCount.subtract(1, ordering: .relaxed) }
  }

  /// The decoded width in pixels.
  public var pixelWidth: Int { bitmap.width }
  /// The decoded height in pixels.
  public var pixelHeight: Int { bitmap.height }
  /// The natural size in points: the decoded pixels divided by the scale.
  public var size: Size { Size(width: Double(pixelWidth) / scale, height: Double(pixelHeight) / scale) }
  /// True if there is more than one frame.
  public var isAnimated: Bool { animation != nil }
  /// The number of frames; 1 for a still image.
  public var frameCount: Int { animation?.frameCount ?? 1 }
  /// The number of times that an animation is played; 0 for ever, and for a still image.
  public var loopCount: Int { animation?.loopCount ?? 0 }
  /// True if the image has all pixels of the source, so that no larger image can be decoded.
  public var isFullSize: Bool { pixelWidth >= sourceWidth && pixelHeight >= sourceHeight }
  /// The cost in a cache: the bytes of the pixels and of the animation, which keeps the encoded image. Decoded frames
  /// after the first are not part of the image and do not count.
  public var cost: Int { ByteCount.sum(bitmap.byteCount, animation?.byteCount ?? 0) }

  /// Returns the seconds for which a frame is shown; 0 for a still image, and for a number without a frame.
  public func duration(ofFrame index: Int) -> Double {
    guard let durations = animation?.durations, durations.indices.contains(index) else { return 0 }
    return durations[index]
  }

  /// Returns the image with another choice for the decoded frames of its animation.
  package func storingFrames(as storage: FrameStorage) -> Image {
    animation.map { $0.storage == storage } ?? true ? self : Image(self, storage: storage)
  }

  /// Returns true if a view that shows `other` can go on with this animated image at the same frame.
  ///
  /// Either both show the same animation, perhaps at different sizes. Or `other` is a preview that was made of the same
  /// image when fewer frames had arrived, or only the first. Compares encoded bytes, or the pixels of the first frame.
  package func continues(_ other: Image) -> Bool {
    guard let animation, self !== other else { return false }
    let isSame = renderingMode == other.renderingMode && other.animation?.isSame(as: animation) == true
    return isSame || continues(preview: other)
  }

  private func continues(preview: Image) -> Bool {
    guard let animation, sourceWidth == preview.sourceWidth, sourceHeight == preview.sourceHeight else {
      return false
    }
    if let begun = preview.animation {
      guard !begun.isComplete, animation.frameByteCount == begun.frameByteCount,
        animation.durations.starts(with: begun.durations)
      else { return false }
    } else if !preview.isPreview {
      return false
    }
    return bitmap.hasPixels(of: preview.bitmap)
  }

  /// The image without its animation: a new image that shares the pixels, or this image if it is still.
  public var firstFrame: Image {
    isAnimated ? Image(self, isStill: true) : self
  }
}

extension Image: Hashable {
  /// Compares instances by identity.
  public static func == (a: Image, b: Image) -> Bool { a === b }
  /// Hashes the identity of the instance.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
