import VitrineGraphics

/// The keys under which the pixels of a downloader are stored on disk.
struct PixelVariants: Sendable {
  private let decoder: String
  private let pixelFormat: PixelFormat

  /// Returns nil if no pixels may be stored: the decoder has no name on disk, or a body modifier changes the bytes,
  /// which may mean that they must not be on disk in clear.
  init?(_ decoder: any ImageDecoding, _ configuration: ImageDownloader.Configuration) {
    guard let identifier = decoder.storageIdentifier, configuration.responses.bodyModifier == nil else {
      return nil
    }
    self.decoder = identifier
    pixelFormat = configuration.decoding.pixelFormat
  }

  /// Returns true if the pixels of the image of a request are stored.
  func stores(_ request: ImageRequest) -> Bool {
    request.usesPixelCache && request.decodes && request.cache.usesDisk && !request.isLocal
      && request.transforms.allSatisfy { $0.storageIdentifier != nil }
  }

  /// Returns the text of `PixelKey.variant` for the image of a request; nil if its pixels are not stored.
  func variant(of request: ImageRequest, _ additionalIdentifier: String?) -> String? {
    guard stores(request) else { return nil }
    var transforms: [String] = []
    for transform in request.transforms {
      guard let identifier = transform.storageIdentifier else { return nil }
      transforms.append(identifier)
    }
    var text = PixelVariantText()
    text.append(decoder)
    text.append(pixelFormat == .bgra ? "bgra" : "rgba")
    text.append(request.targetSize.map { "\($0.width)x\($0.height) \(Self.name(of: $0.mode))" })
    let limits = request.limits
    text.append("\(limits.pixels) \(limits.side)\(Self.animationText(limits))")
    text.append(limits.scaleDownBytes.map { "\($0)" })
    let decoding = request.decoding
    text.append(decoding.scale.map { "\($0)" })
    // The counts keep options, transforms and the identifier apart, for any texts of an application.
    text.append("\(decoding.options.count)")
    for (name, value) in decoding.options.sorted(by: { $0.key < $1.key }) {
      text.append(name)
      text.append(value)
    }
    text.append("\(transforms.count)")
    for transform in transforms { text.append(transform) }
    text.append(additionalIdentifier)
    return text.text
  }

  /// Returns a text of `variant(of:_:)` without the size; nil for other texts.
  static func withoutSize(_ variant: String) -> String? {
    var rest = variant.utf8[...]
    // The decoder and the format.
    for _ in 0..<2 { guard PixelVariantText.dropPart(of: &rest) else { return nil } }
    let start = rest.startIndex
    guard PixelVariantText.dropPart(of: &rest) else { return nil }
    return String(Substring(variant.utf8[..<start])) + String(Substring(rest))
  }

  private static func name(of mode: DecodeTarget.Mode) -> String {
    switch mode {
    case .fit: "fit"
    case .fill: "fill"
    case .fillIfSimilar: "fillIfSimilar"
    }
  }

  /// Returns the limits that decide whether an image is animated; nothing for the defaults, so that pixels that were
  /// stored before there were such limits are found.
  private static func animationText(_ limits: DecodeLimits) -> String {
    let standard = DecodeLimits()
    let isStandard = limits.frames == standard.frames && limits.animationPixels == standard.animationPixels
    return isStandard ? "" : " \(limits.frames) \(limits.animationPixels)"
  }
}

/// Joins texts so that different lists of texts never give the same text: each part is preceded by its length.
private struct PixelVariantText {
  // Appending to bytes takes a fraction of the time of appending to a text.
  private var bytes: [UInt8] = []

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func append(_ part: String?) {
    if let part {
      bytes += String(part.utf8.count).utf8
      bytes.append(UInt8(ascii: ":"))
      bytes += part.utf8
    } else {
      bytes.append(UInt8(ascii: "-"))
    }
    bytes.append(UInt8(ascii: ";"))
  }

  /// Removes the first part of a text. Returns false if the text does not begin with a part.
  static func dropPart(of text: inout Substring.UTF8View) -> Bool {
    let end: Substring.UTF8View
    if text.first == UInt8(ascii: "-") {
      end = text.dropFirst()
    } else {
      guard let colon = text.firstIndex(of: UInt8(ascii: ":")),
        let count = Int(Substring(text[..<colon])), 0...text.count ~= count
      else { return false }
      end = text[colon...].dropFirst().dropFirst(count)
    }
    guard end.first == UInt8(ascii: ";") else { return false }
    text = end.dropFirst()
    return true
  }
}
