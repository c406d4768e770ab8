import VitrineGraphics

/// The bytes of an image with the metadata, from a transport or from disk.
struct FetchedBytes: Sendable {
  private struct Values {
    var body: [UInt8]
    var isBodyOnDisk: Bool
    var isBodyShared = false
    var digest: BodyDigest?
    var images: [ProcessedImageKey: Image]
    var firstFrames: [ProcessedImageKey: Image]
    var smallerVariants: [ProcessedImageKey: Image]
    var response: TransportResponse?
    var metrics: TransportMetrics?
    var reservation: MemoryReservation?
    var source: ImageResponse.Source
    var freshness: ImageResponse.Freshness
    var storedResponse: StoredResponse?
    var storing: StoringSignal?
    var lock: FetchLockHold?
    var endsStorage = false
    var age: Double?
  }

  /// Shared by copies, because the bytes are passed from stage to stage a dozen times.
  private var values: CopyOnWrite<Values>

  init(
    body: [UInt8], isBodyOnDisk: Bool = false, digest: BodyDigest? = nil,
    images: [ProcessedImageKey: Image] = [:], firstFrames: [ProcessedImageKey: Image] = [:],
    smallerVariants: [ProcessedImageKey: Image] = [:], response: TransportResponse?,
    metrics: TransportMetrics? = nil, reservation: MemoryReservation? = nil,
    source: ImageResponse.Source = .network, freshness: ImageResponse.Freshness = .fresh
  ) {
    values = CopyOnWrite(
      Values(
        body: body, isBodyOnDisk: isBodyOnDisk, digest: digest, images: images, firstFrames: firstFrames,
        smallerVariants: smallerVariants, response: response, metrics: metrics, reservation: reservation,
        source: source, freshness: freshness))
  }

  /// The body; empty if `isBodyOnDisk` is true.
  var body: [UInt8] {
    _read { yield values.value.body }
    _modify { yield &values.value.body }
  }
  /// True for a stored response whose body is not in memory: the pixel cache had the images, or the body was released
  /// while the server was asked.
  var isBodyOnDisk: Bool {
    _read { yield values.value.isBodyOnDisk }
    _modify { yield &values.value.isBodyOnDisk }
  }
  /// True if the body stays in memory after it is stored: for a caller, another decode, a transform or an
  /// animation.
  var isBodyShared: Bool {
    _read { yield values.value.isBodyShared }
    _modify { yield &values.value.isBodyShared }
  }
  /// The digest of the stored body; `nil` for bytes that were not read from a disk cache.
  var digest: BodyDigest? {
    _read { yield values.value.digest }
    _modify { yield &values.value.digest }
  }
  /// The images that the pixel cache has of these bytes.
  var images: [ProcessedImageKey: Image] {
    _read { yield values.value.images }
    _modify { yield &values.value.images }
  }
  /// The first frames that the pixel cache has of animations in these bytes.
  var firstFrames: [ProcessedImageKey: Image] {
    _read { yield values.value.firstFrames }
    _modify { yield &values.value.firstFrames }
  }
  /// Smaller variants of images that the pixel cache does not have in the requested size.
  var smallerVariants: [ProcessedImageKey: Image] {
    _read { yield values.value.smallerVariants }
    _modify { yield &values.value.smallerVariants }
  }
  /// The head of the response.
  private(set) var response: TransportResponse? {
    _read { yield values.value.response }
    _modify { yield &values.value.response }
  }
  /// The metrics of the transfer; `nil` for bytes from disk that were not revalidated.
  var metrics: TransportMetrics? {
    _read { yield values.value.metrics }
    _modify { yield &values.value.metrics }
  }
  /// The reservation of the body in memory.
  var reservation: MemoryReservation? {
    _read { yield values.value.reservation }
    _modify { yield &values.value.reservation }
  }
  /// `.network` or `.disk`. For a file or data URL, the `ImageResponse` reports `.file` instead.
  var source: ImageResponse.Source {
    _read { yield values.value.source }
    _modify { yield &values.value.source }
  }
  var freshness: ImageResponse.Freshness {
    _read { yield values.value.freshness }
    _modify { yield &values.value.freshness }
  }
  /// The response to store on disk after a successful decode; `nil` if there is nothing to store.
  var storedResponse: StoredResponse? {
    _read { yield values.value.storedResponse }
    _modify { yield &values.value.storedResponse }
  }
  /// The signal that is sent when the response has been stored, or has not.
  var storing: StoringSignal? {
    _read { yield values.value.storing }
    _modify { yield &values.value.storing }
  }
  /// The lock of the fetch, released when the response has been stored.
  var lock: FetchLockHold? {
    _read { yield values.value.lock }
    _modify { yield &values.value.lock }
  }
  /// True if the stored response must be removed (`no-store`).
  var endsStorage: Bool {
    _read { yield values.value.endsStorage }
    _modify { yield &values.value.endsStorage }
  }
  /// The number of seconds since the server last sent or confirmed a stored response that is shown without asking the
  /// server; `nil` for other bytes.
  var age: Double? {
    _read { yield values.value.age }
    _modify { yield &values.value.age }
  }
  /// The images that slots show until the body is decoded.
  var provisionalImages: [ProcessedImageKey: Image] {
    firstFrames.merging(smallerVariants) { firstFrame, _ in firstFrame }
  }

  /// Returns these bytes with the body of a stored response, which was read later; `nil` if that has another body or
  /// none.
  func with(_ copy: StoredCopy) -> FetchedBytes? {
    guard isBodyOnDisk, !copy.contents.isBodyOnDisk, let digest, copy.contents.digest == digest else {
      return nil
    }
    var bytes = self
    bytes.body = copy.contents.body
    bytes.isBodyOnDisk = false
    bytes.reservation = copy.reservation
    return bytes
  }

  /// Returns true if the bodies are known to be equal.
  func hasSameBody(as other: FetchedBytes) -> Bool {
    if let digest, let otherDigest = other.digest { return digest == otherDigest }
    return !isBodyOnDisk && !other.isBodyOnDisk && body == other.body
  }

  /// The body as delivered to callers; `nil` if the body has not been read.
  var data: [UInt8]? { isBodyOnDisk ? nil : body }

  /// The reason for which a stale response is shown; `nil` if the server has not failed.
  var failure: ImageError? { if case .stale(_, let reason) = freshness { reason } else { nil } }

  /// True if the response has no bytes at all.
  var isEmpty: Bool { body.isEmpty && !isBodyOnDisk }

  /// Returns these bytes with the freshness that the server's response to a conditional request has given them. `new`
  /// has the same body.
  func updated(by new: FetchedBytes) -> FetchedBytes {
    var bytes = self
    bytes.response = new.response ?? bytes.response
    bytes.lock = new.lock
    bytes.digest = bytes.digest ?? new.digest
    bytes.metrics = new.metrics
    bytes.freshness = new.freshness
    bytes.storedResponse = new.storedResponse
    bytes.storing = new.storing
    bytes.endsStorage = new.endsStorage
    bytes.age = new.age
    return bytes
  }

  /// True if a captive portal may have sent the response: the body is empty, or begins as HTML or XML does and does not
  /// have the type of an image, as an SVG for a custom decoder has.
  var mayBeOfCaptivePortal: Bool {
    if isBodyOnDisk { return false }
    let skipped: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]  // blanks and the UTF-8 byte order mark
    guard let first = body.prefix(1024).first(where: { !skipped.contains($0) }) else { return true }
    guard first == UInt8(ascii: "<") else { return false }
    return response?.headers["Content-Type"]?.lowercased().hasPrefix("image/") != true
  }
}

extension FetchedBytes: Equatable {
  /// True if the bytes and the metadata are equal. `isBodyShared`, reservations and locks are not compared.
  static func == (a: FetchedBytes, b: FetchedBytes) -> Bool {
    a.body == b.body && a.isBodyOnDisk == b.isBodyOnDisk && a.digest == b.digest && a.images == b.images
      && a.firstFrames == b.firstFrames && a.smallerVariants == b.smallerVariants
      && a.response == b.response && a.metrics == b.metrics && a.source == b.source
      && a.freshness == b.freshness && a.storedResponse == b.storedResponse && a.storing === b.storing
      && a.endsStorage == b.endsStorage && a.age == b.age
  }
}
