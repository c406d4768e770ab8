import VitrineGraphics
import VitrineWidgets

/// What pictures and texts look like on the screen, made once and kept within a budget of bytes.
///
/// A picture whose pixels already are what the screen wants is drawn from its own memory and costs nothing
/// here. The others (scaled, rounded, of another pixel format, for a graphics processor) have textures, at most
/// `frameBudget` bytes of new ones a frame; the rest is left for the frames that follow.
final class TextureStore<Maker: TextureMaking> {
  /// The way to draw a picture now.
  enum Drawing {
    case texture(Maker.Picture)
    /// There is no texture: draw it coarsely from its bitmap.
    case coarse(Reason)
  }

  /// Why a picture has no texture.
  enum Reason {
    /// There is no room for it, nor will there be in the next frame.
    case noRoom
    /// Its size is another in each frame, so that none is worth making yet.
    case changing
    /// This frame has made enough of them.
    case overBudget
  }

  private enum Key: Hashable {
    case picture(PictureKey)
    case mask(MaskKey)
  }

  private enum Texture {
    case picture(Maker.Picture)
    case mask(Maker.Mask)
  }

  private struct Owner {
    weak var image: Image?
    var keys: Set<PictureKey> = []
  }

  private let maker: Maker
  private var cache: LRUCache<Key, Texture>
  /// Counts the textures in the ledger.
  private let hold: MemoryHold
  private var counted = 0
  private var owners: [ObjectIdentifier: Owner] = [:]
  /// Further sizes of images that were asked for in the last frame, and in this one; see `isSettled`.
  private var lastWishes: Set<PictureKey> = []
  private var wishes: Set<PictureKey> = []
  private let frameBudget: Int
  private let trace: Trace
  private var frame = 1
  private var spent = 0

  /// - Parameters:
  ///   - maker: makes the textures.
  ///   - budget: bytes that all textures may take.
  ///   - frameBudget: bytes read or written to make new ones in a frame; one is made in any case.
  ///   - trace: is told of each picture that was made ready.
  ///   - ledger: where they count.
  init(
    maker: Maker, budget: Int, frameBudget: Int, trace: Trace = Trace(capacity: 0),
    ledger: MemoryLedger = MemoryLedger()
  ) {
    self.maker = maker
    self.trace = trace
    hold = MemoryHold(0, in: ledger, as: .textures)
    cache = LRUCache(limit: budget)
    self.frameBudget = frameBudget
  }

  /// Bytes that the textures take now.
  var byteCount: Int { cache.cost }
  var count: Int { cache.count }

  /// Opens a frame: what it uses stays at least until it ends, and its budget is full.
  func beginFrame() {
    frame += 1
    spent = 0
    lastWishes = wishes
    wishes.removeAll()
    if frame % 64 == 0 { sweep() }
  }

  /// Drops the textures of images that nobody holds any more.
  func sweep() {
    for (identifier, owner) in owners where owner.image == nil { forget(identifier) }
    countTextures()
  }

  func removeAll() {
    cache.removeAll()
    owners.removeAll()
    countTextures()
  }

  /// Drops textures of a sum of `bytes`, those used longest ago first, but none of the last frame.
  ///
  /// - Parameter keepsShown: whether those of images stay that slots show.
  func release(bytes: Int, keepsShown: Bool = false) {
    sweep()
    let gone = cache.removeOldest(bytes, stamp: frame) { [owners] key in
      guard keepsShown, case .picture(let key) = key else { return false }
      return owners[key.image]?.image?.isShown == true
    }
    forget(gone)
    countTextures()
  }

  private func countTextures() {
    let change = byteCount - counted
    counted = byteCount
    hold.grow(by: change)
  }

  // MARK: Pictures

  /// How to draw a picture in a rectangle of the screen. Its frame exists and its source lies inside the bitmap.
  func drawing(of picture: DrawList.Picture, in rect: PixelRect, corners: CornerMask) -> Drawing {
    let image = picture.image
    let bitmap = image.frames[picture.frame].bitmap
    let place = oneToOne(picture.source, rect, bitmap)
    var ready: PicturePixels?
    let isWhite = picture.templateColor != nil && !maker.replacesColors
    if let place, corners.radius == 0, bitmap.format == maker.pixelFormat, !isWhite {
      ready = PicturePixels(bitmap: bitmap, x: place.x, y: place.y, isBodyOpaque: bitmap.isOpaque)
      if let texture = ready.flatMap(maker.borrow) { return .texture(texture) }
    }
    let key = PictureKey(
      image: ObjectIdentifier(image), frame: picture.frame, source: picture.source, width: rect.width,
      height: rect.height, corners: corners.shape, isWhite: isWhite)
    if owners[key.image] != nil, owners[key.image]?.image !== image { forget(key.image) }
    if case .picture(let texture) = cache.value(for: .picture(key), stamp: frame) {
      return .texture(texture)
    }
    let bytes = rect.width * rect.height * PixelFormat.bytesPerPixel
    guard cache.hasRoom(for: bytes, stamp: frame) else { return .coarse(.noRoom) }
    guard isSettled(key) else { return .coarse(.changing) }
    // What fades in has been waited for and may wait on; a picture that is there at once, as a hit in memory, is
    // uploaded at once.
    if ready == nil || picture.opacity < 1 {
      let source = place == nil ? Int(picture.source.width * picture.source.height) : 0
      guard spend(max(bytes, source * PixelFormat.bytesPerPixel)) else { return .coarse(.overBudget) }
    }

    let began = trace.isEnabled ? trace.now : 0
    let pixels = ready ?? self.pixels(bitmap, picture.source, place, rect, corners, isWhite: isWhite)
    guard let texture = maker.make(pixels, width: rect.width, height: rect.height) else {
      return .coarse(.noRoom)
    }
    if trace.isEnabled { trace.record(.uploaded(image: image.number, duration: trace.now - began)) }
    owners[key.image, default: Owner(image: image)].keys.insert(key)
    insert(.picture(texture), for: .picture(key), cost: bytes)
    return .texture(texture)
  }

  /// Whether a size is worth a texture: the first of an image is, a further one when it is asked for in two
  /// frames, so that a view whose size changes with each frame does not make one for each.
  private func isSettled(_ key: PictureKey) -> Bool {
    guard let owner = owners[key.image] else { return true }
    guard owner.keys.contains(where: { $0.frame == key.frame }) else { return true }
    wishes.insert(key)
    return lastWishes.contains(key)
  }

  private func spend(_ cost: Int) -> Bool {
    guard spent == 0 || spent + cost <= frameBudget else { return false }
    spent += cost
    return true
  }

  private func pixels(
    _ bitmap: Bitmap, _ source: Rect, _ place: (x: Int, y: Int)?, _ rect: PixelRect,
    _ corners: CornerMask, isWhite: Bool
  ) -> PicturePixels {
    let format = maker.pixelFormat
    var sized =
      place.map { bitmap.cropped(x: $0.x, y: $0.y, width: rect.width, height: rect.height, format: format) }
      ?? bitmap.resampled(source, width: rect.width, height: rect.height, format: format)
    if isWhite { sized = sized.whitened() }
    guard corners.radius > 0 else {
      return PicturePixels(bitmap: sized, isBodyOpaque: bitmap.isOpaque)
    }
    return PicturePixels(
      bitmap: sized.rounding(corners), cornerRadius: corners.radius, isBodyOpaque: bitmap.isOpaque)
  }

  /// Where the part begins in the bitmap if it can be shown pixel for pixel: its size is off by less than a
  /// pixel, as it is after rounding, and that many pixels are there.
  private func oneToOne(_ source: Rect, _ rect: PixelRect, _ bitmap: Bitmap) -> (x: Int, y: Int)? {
    guard abs(source.width - Double(rect.width)) < 1, abs(source.height - Double(rect.height)) < 1,
      rect.width <= bitmap.width, rect.height <= bitmap.height
    else { return nil }
    func start(_ middle: Double, _ length: Int, _ limit: Int) -> Int {
      min(limit - length, max(0, PixelRect.nearest(middle - Double(length) / 2)))
    }
    return (start(source.midX, rect.width, bitmap.width), start(source.midY, rect.height, bitmap.height))
  }

  private func forget(_ identifier: ObjectIdentifier) {
    guard let owner = owners.removeValue(forKey: identifier) else { return }
    for key in owner.keys { cache.remove(.picture(key)) }
  }

  // MARK: Masks

  /// A line of text or a corner, made now if it is not there.
  func mask(for key: MaskKey, make: () -> CoverageMask?) -> Maker.Mask? {
    if case .mask(let mask) = cache.value(for: .mask(key), stamp: frame) { return mask }
    guard let coverage = make(), let mask = maker.make(coverage) else { return nil }
    insert(.mask(mask), for: .mask(key), cost: coverage.coverage.count * maker.bytesPerMaskPixel)
    return mask
  }

  private func insert(_ texture: Texture, for key: Key, cost: Int) {
    forget(cache.insert(texture, for: key, cost: cost, stamp: frame))
    countTextures()
  }

  private func forget(_ keys: [Key]) {
    for case .picture(let gone) in keys {
      owners[gone.image]?.keys.remove(gone)
      if owners[gone.image]?.keys.isEmpty == true { owners[gone.image] = nil }
    }
  }
}
