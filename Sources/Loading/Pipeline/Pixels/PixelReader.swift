import VitrineGraphics

/// Looks for the images of a stored response in the pixel cache, on a thread that may block.
struct PixelReader: Sendable {
  /// The result of a search.
  enum Find {
    /// The stored response does not match the request.
    case other(HTTPHeaders)
    /// All images that wait. The animations among them have only their first frames, in `firstFrames`; images that are
    /// missing have smaller variants. The head is to be recorded for later lookups if `isRecorded` is false; see
    /// `HeadRecords`.
    case images(
      StoredHead, isRecorded: Bool, [ProcessedImageKey: Image], firstFrames: [ProcessedImageKey: Image],
      smallerVariants: [ProcessedImageKey: Image])
    /// The whole response must be read: the pixel cache does not have all images, or the head was not found.
    case incomplete
    /// There is no stored response.
    case nothing
  }

  private let cache: any ImageDataCache
  /// The cache, if it records heads.
  private let records: (any HeadRecords)?
  private let pixels: any ImagePixelCache
  private let variants: PixelVariants
  private let ledger: MemoryLedger
  private let countsImages: Bool

  /// Returns nil if a disk cache does not tell the digests of its bodies.
  ///
  /// - Parameter countsImages: True to count the pixels of images until they are released; see `ImageMaker`.
  init?(
    _ cache: (any ImageDataCache)?, _ pixels: (any ImagePixelCache)?, _ variants: PixelVariants?,
    ledger: MemoryLedger, countsImages: Bool
  ) {
    guard let cache, let pixels, let variants, cache.digest(of: []) != nil else { return nil }
    self.cache = cache
    records = cache as? any HeadRecords
    self.pixels = pixels
    self.variants = variants
    self.ledger = ledger
    self.countsImages = countsImages
  }

  /// Looks for all images that wait for a response.
  ///
  /// - Parameters:
  ///   - wanted: The images; empty if the body is needed in any case.
  ///   - identity: The identity of the response on disk.
  func find(_ wanted: [WantedImage], of request: ImageRequest, on identity: RequestIdentity) -> Find {
    guard !wanted.isEmpty, wanted.allSatisfy({ variants.stores($0.request) }) else { return .incomplete }
    // A cache may know the digests of its bodies and have no heads.
    guard let (head, isRecorded) = head(for: identity) else {
      return cache.findsAllHeads ? .nothing : .incomplete
    }
    guard head.response.matches(request.sentHeaders, credentials: request.identity.credentials) else {
      return .other(head.response.response.headers)
    }
    var images: [ProcessedImageKey: Image] = [:]
    var firstFrames: [ProcessedImageKey: Image] = [:]
    var smallerVariants: [ProcessedImageKey: Image] = [:]
    for wanted in wanted {
      guard let variant = variants.variant(of: wanted.request, wanted.additionalIdentifier) else {
        return .incomplete
      }
      let onDisk = PixelKey(identity: identity, variant: variant)
      guard let stored = pixels(for: onDisk, of: head.body) else {
        guard wanted.isForSlot, let smaller = smallerPixels(for: onDisk, of: head.body, wanted.request) else {
          return .incomplete
        }
        smallerVariants[wanted.key] = smaller.image
        continue
      }
      if !stored.isAnimated {
        images[wanted.key] = stored.image
      } else if wanted.isForSlot || wanted.onlyFirstFrame {
        firstFrames[wanted.key] = stored.image
      } else {
        // The other frames have to be decoded.
        return .incomplete
      }
    }
    return .images(
      head, isRecorded: isRecorded, images, firstFrames: firstFrames, smallerVariants: smallerVariants)
  }

  private func head(for identity: RequestIdentity) -> (head: StoredHead, isRecorded: Bool)? {
    if let records { return records.readHead(for: identity) }
    return cache.head(for: identity).map { ($0, true) }
  }

  private func pixels(for key: PixelKey, of body: BodyDigest) -> StoredPixels? {
    counted(of: body) { pixels.pixels(for: key, of: body, reserving: $0) }
  }

  /// Returns a variant that has at most as many pixels as the requested size.
  private func smallerPixels(
    for key: PixelKey, of body: BodyDigest, _ request: ImageRequest
  ) -> StoredPixels? {
    let (count, overflow) =
      request.targetSize.map { $0.width.multipliedReportingOverflow(by: $0.height) } ?? (.max, false)
    return counted(of: body) {
      pixels.smallerPixels(for: key, of: body, maximumCount: overflow ? .max : count, reserving: $0)
    }
  }

  /// Returns pixels that are counted in the ledger and know the body that they were made from.
  private func counted(
    of body: BodyDigest, _ find: (_ reserve: (_ bytes: Int) -> Void) -> StoredPixels?
  ) -> StoredPixels? {
    let reservation = MemoryReservation(0, in: ledger, as: .decoding)
    defer { reservation.end() }
    guard let stored = find({ reservation.reserveForDisk($0) }) else { return nil }
    let image = stored.image.identified(by: ContentID(body))
    if countsImages { image.countAsShown(movedFrom: reservation) }
    return StoredPixels(image: image, isAnimated: stored.isAnimated)
  }
}
