import VitrineGraphics
import VitrineWidgets

/// A cache of textures of images and texts, with a limit in bytes.
///
/// An image whose pixels already have the size and byte order of the screen may be drawn from its own memory, at no
/// cost. Other images (scaled, with rounded corners, in another pixel format, or for a graphics processor) need
/// textures. New textures are limited to `frameBudget` bytes per frame; further textures are made in the next frames.
@MainActor
final class TextureStore<Maker: TextureMaking> {
  /// The way to draw an image in the current frame.
  enum Drawing {
    case texture(Maker.ImageTexture)
    /// There is no texture. The renderer draws the image coarsely from its bitmap.
    case coarse(Reason)
  }

  /// The reason why an image has no texture.
  enum Reason {
    /// There is no memory for the texture, and the next frame will have no more.
    case noMemory
    /// The size changes with each frame, so a texture would be used only once.
    case changing
    /// The textures made in this frame have used up the frame's budget.
    case overBudget
  }

  private enum Key: Hashable {
    case image(ImageTextureKey)
    case mask(MaskKey)
  }

  private enum Texture {
    case image(Maker.ImageTexture)
    case mask(Maker.Mask)
  }

  private struct Owner {
    weak var image: Image?
    var keys: Set<ImageTextureKey> = []
  }

  private let maker: Maker
  private var cache: LRUCache<Key, Texture>
  /// The reservation of the textures' memory in the ledger.
  private let reservation: MemoryReservation
  private var countedBytes = 0
  private var owners: [ObjectIdentifier: Owner] = [:]
  /// The keys of further sizes that were requested in the last frame and in the current frame; see `isSettled`.
  private var lastRequestedKeys: Set<ImageTextureKey> = []
  private var requestedKeys: Set<ImageTextureKey> = []
  private let frameBudget: Int
  private let trace: Trace
  private var frame = 1
  private var spentBytes = 0

  /// - Parameters:
  ///   - maker: Makes the textures.
  ///   - budget: The maximum number of bytes of all textures.
  ///   - frameBudget: The maximum number of bytes read or written for new textures in a frame. The first new texture of
  ///     a frame may exceed it.
  ///   - trace: Records each image for which a texture was made.
  ///   - ledger: The ledger in which the textures count.
  init(
    maker: Maker, budget: Int, frameBudget: Int, trace: Trace = Trace(capacity: 0),
    ledger: MemoryLedger = MemoryLedger()
  ) {
    self.maker = maker
    self.trace = trace
    reservation = MemoryReservation(0, in: ledger, as: .textures)
    cache = LRUCache(limit: budget)
    self.frameBudget = frameBudget
  }

  var byteCount: Int { cache.cost }
  var count: Int { cache.count }

  /// Begins a frame. Textures that the frame uses are not evicted before its end. Resets the frame's budget.
  func beginFrame() {
    frame += 1
    spentBytes = 0
    lastRequestedKeys = requestedKeys
    requestedKeys.removeAll()
    if frame % 64 == 0 { sweep() }
  }

  /// Removes the textures of images that no longer exist.
  func sweep() {
    for (identifier, owner) in owners where owner.image == nil { removeTextures(of: identifier) }
    countTextures()
  }

  func removeAll() {
    cache.removeAll()
    owners.removeAll()
    countTextures()
  }

  /// Evicts the least recently used textures until `bytes` are free, except textures of the last frame.
  ///
  /// - Parameter keepsShown: True to keep all textures of images that slots show.
  func release(bytes: Int, keepsShown: Bool = false) {
    sweep()
    let evictedKeys = cache.removeOldest(bytes, stamp: frame) { [owners] key in
      guard keepsShown, case .image(let key) = key else { return false }
      return owners[key.image]?.image?.isShown == true
    }
    removeFromOwners(evictedKeys)
    countTextures()
  }

  private func countTextures() {
    let change = byteCount - countedBytes
    countedBytes = byteCount
    // Before they are counted, so that the total does not exceed the budget meanwhile.
    if change > reservation.available { reservation.evict(toFit: change) }
    reservation.grow(by: change)
  }

  // MARK: Images

  /// Returns the way to draw an image in a rectangle of the screen. The image's frame must exist, and its source must
  /// lie inside the bitmap.
  ///
  /// - Parameter isNeeded: True to make a texture of a further size at once; see `isSettled`.
  func drawing(
    of command: DrawList.ImageCommand, in rect: PixelRect, corners: CornerMask, isNeeded: Bool = false
  ) -> Drawing {
    let image = command.image
    let bitmap = image.bitmap
    let origin = oneToOne(command.source, rect, bitmap)
    var readyPixels: ImagePixels?
    let isWhite = command.templateColor != nil && !maker.replacesColors
    if let origin, corners.radius == 0, bitmap.format == maker.pixelFormat, !isWhite {
      readyPixels = ImagePixels(bitmap: bitmap, x: origin.x, y: origin.y, isBodyOpaque: bitmap.isOpaque)
      if let texture = readyPixels.flatMap(maker.borrow) { return .texture(texture) }
    }
    let key = ImageTextureKey(
      image: ObjectIdentifier(image), source: command.source, width: rect.width,
      height: rect.height, corners: corners.shape, isWhite: isWhite)
    if owners[key.image] != nil, owners[key.image]?.image !== image { removeTextures(of: key.image) }
    if case .image(let texture) = cache.value(for: .image(key), stamp: frame) {
      return .texture(texture)
    }
    let bytes = rect.width * rect.height * PixelFormat.bytesPerPixel
    guard cache.hasSpace(for: bytes, stamp: frame) else { return .coarse(.noMemory) }
    guard isNeeded || isSettled(key) else { return .coarse(.changing) }
    // The frame's budget also covers images that fade in: the user has waited for them and can wait for the next frame.
    // An image that appears at once, such as a memory hit, is uploaded at once.
    if readyPixels == nil || command.opacity < 1 {
      let source = origin == nil ? Int(command.source.width * command.source.height) : 0
      guard spendBudget(max(bytes, source * PixelFormat.bytesPerPixel)) else { return .coarse(.overBudget) }
    }

    let start = trace.isEnabled ? trace.now : 0
    let pixels = readyPixels ?? self.pixels(bitmap, command.source, origin, rect, corners, isWhite: isWhite)
    guard let texture = maker.make(pixels, width: rect.width, height: rect.height) else {
      return .coarse(.noMemory)
    }
    if trace.isEnabled { trace.record(.uploaded(image: image.number, duration: trace.now - start)) }
    owners[key.image, default: Owner(image: image)].keys.insert(key)
    insert(.image(texture), for: .image(key), cost: bytes)
    return .texture(texture)
  }

  /// Makes the texture of an image, if it needs one, between two frames. The budget of a frame does not apply.
  func prepare(_ command: DrawList.ImageCommand, in rect: PixelRect, corners: CornerMask) {
    spentBytes = 0
    _ = drawing(of: command, in: rect, corners: corners, isNeeded: true)
  }

  /// Makes the texture of all pixels of an image between two frames. The budget of a frame does not apply.
  func prepareWhole(_ image: Image) {
    spentBytes = 0
    _ = wholeTexture(of: image)
  }

  /// Returns a texture of all pixels of an image, which is scaled while it is drawn; `nil` if there is no memory for it,
  /// or if making it would exceed the frame's budget.
  func wholeTexture(of image: Image) -> Maker.ImageTexture? {
    let bitmap = image.bitmap
    let key = ImageTextureKey(
      image: ObjectIdentifier(image),
      source: Rect(x: 0, y: 0, width: Double(bitmap.width), height: Double(bitmap.height)),
      width: bitmap.width, height: bitmap.height, corners: CornerShape(radius: 0), isWhite: false)
    if owners[key.image] != nil, owners[key.image]?.image !== image { removeTextures(of: key.image) }
    if case .image(let texture) = cache.value(for: .image(key), stamp: frame) { return texture }
    let bytes = bitmap.width * bitmap.height * PixelFormat.bytesPerPixel
    guard cache.hasSpace(for: bytes, stamp: frame), spendBudget(bytes) else { return nil }
    let pixels =
      bitmap.format == maker.pixelFormat
      ? bitmap
      : bitmap.cropped(x: 0, y: 0, width: bitmap.width, height: bitmap.height, format: maker.pixelFormat)
    guard
      let texture = maker.make(
        ImagePixels(bitmap: pixels, isBodyOpaque: bitmap.isOpaque), width: bitmap.width, height: bitmap.height
      )
    else { return nil }
    owners[key.image, default: Owner(image: image)].keys.insert(key)
    insert(.image(texture), for: .image(key), cost: bytes)
    return texture
  }

  /// Returns true if a texture of this size is worth making. The first size of an image always is; a further size is if
  /// two successive frames request it, so that a view whose size changes with each frame does not make a texture for
  /// each.
  private func isSettled(_ key: ImageTextureKey) -> Bool {
    guard let owner = owners[key.image], !owner.keys.isEmpty else { return true }
    requestedKeys.insert(key)
    return lastRequestedKeys.contains(key)
  }

  private func spendBudget(_ cost: Int) -> Bool {
    guard spentBytes == 0 || spentBytes + cost <= frameBudget else { return false }
    spentBytes += cost
    return true
  }

  private func pixels(
    _ bitmap: Bitmap, _ source: Rect, _ origin: (x: Int, y: Int)?, _ rect: PixelRect,
    _ corners: CornerMask, isWhite: Bool
  ) -> ImagePixels {
    let format = maker.pixelFormat
    var sized =
      origin.map { bitmap.cropped(x: $0.x, y: $0.y, width: rect.width, height: rect.height, format: format) }
      ?? bitmap.resampled(source, width: rect.width, height: rect.height, format: format)
    if isWhite { sized = sized.whitened() }
    guard corners.radius > 0 else {
      return ImagePixels(bitmap: sized, isBodyOpaque: bitmap.isOpaque)
    }
    return ImagePixels(
      bitmap: sized.rounding(corners), cornerRadius: corners.radius, isBodyOpaque: bitmap.isOpaque)
  }

  /// Returns the top left corner of the part in the bitmap if the part can be shown pixel for pixel, or `nil`. The size
  /// may differ by less than a pixel, as after rounding, and the bitmap must have that many pixels.
  private func oneToOne(_ source: Rect, _ rect: PixelRect, _ bitmap: Bitmap) -> (x: Int, y: Int)? {
    guard abs(source.width - Double(rect.width)) < 1, abs(source.height - Double(rect.height)) < 1,
      rect.width <= bitmap.width, rect.height <= bitmap.height
    else { return nil }
    func start(_ middle: Double, _ length: Int, _ limit: Int) -> Int {
      min(limit - length, max(0, PixelRect.nearest(middle - Double(length) / 2)))
    }
    return (start(source.midX, rect.width, bitmap.width), start(source.midY, rect.height, bitmap.height))
  }

  private func removeTextures(of identifier: ObjectIdentifier) {
    guard let owner = owners.removeValue(forKey: identifier) else { return }
    for key in owner.keys { cache.remove(.image(key)) }
  }

  // MARK: Masks

  /// Returns the mask of a key. Calls `make` on a cache miss.
  func mask(for key: MaskKey, make: () -> CoverageMask?) -> Maker.Mask? {
    if case .mask(let mask) = cache.value(for: .mask(key), stamp: frame) { return mask }
    guard let coverage = make(), let mask = maker.make(coverage) else { return nil }
    insert(.mask(mask), for: .mask(key), cost: coverage.coverage.count * maker.bytesPerMaskPixel)
    return mask
  }

  private func insert(_ texture: Texture, for key: Key, cost: Int) {
    removeFromOwners(cache.insert(texture, for: key, cost: cost, stamp: frame))
    countTextures()
  }

  private func removeFromOwners(_ keys: [Key]) {
    for case .image(let key) in keys {
      owners[key.image]?.keys.remove(key)
      if owners[key.image]?.keys.isEmpty == true { owners[key.image] = nil }
    }
  }
}
