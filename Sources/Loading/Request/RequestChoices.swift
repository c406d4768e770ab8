import VitrineGraphics

/// The parts of a request that most requests leave at their defaults.
final class RequestChoices: Sendable {
  /// The properties with their defaults.
  struct Values: Sendable {
    var cache = ImageRequest.Cache.downloader
    var transforms: [any ImageTransform] = []
    var limits = DecodeLimits()
    var keepsData = false
    var usesPixelCache = true
    var progressive = ImageRequest.Progressive.none
    var decodes = true
    var onlyFirstFrame = false
    var validator: DataValidator?
    var keepsStoredResponse = false
    var decoding = DecodeSettings()

    /// True if all properties have their defaults.
    var areDefaults: Bool {
      guard case .downloader = cache else { return false }
      return transforms.isEmpty && limits == DecodeLimits() && !keepsData && usesPixelCache
        && progressive == .none && decodes && !onlyFirstFrame && validator == nil
        && !keepsStoredResponse && decoding == DecodeSettings()
    }

    /// True if there are transforms, a check or another cache, which may be objects of the application.
    var holdObjects: Bool {
      if case .other = cache { return true }
      return !transforms.isEmpty || validator != nil
    }
  }

  let values: Values

  private init(_ values: Values) { self.values = values }

  /// Returns nil if all values are defaults.
  static func unlessDefault(_ values: Values) -> RequestChoices? {
    values.areDefaults ? nil : RequestChoices(values)
  }
}

/// The properties of a request that change decoding, apart from size and limits.
struct DecodeSettings: Hashable, Sendable {
  /// The number of pixels per point of the decoded image; `nil` keeps the scale that the decoder sets.
  var scale: Double?
  /// Options for a custom decoder.
  var options: [String: String] = [:]
  /// The choice for the decoded frames of an animation.
  var frameStorage = FrameStorage.automatic

  /// Returns `image` with the scale and the frame storage of the request.
  func applied(to image: Image) -> Image {
    let scaled = scale.map { image.withScale($0) } ?? image
    return frameStorage == .automatic ? scaled : scaled.storingFrames(as: frameStorage)
  }
}
