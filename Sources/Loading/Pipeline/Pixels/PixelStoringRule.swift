/// The rule that decides which pixels are stored: those that are read faster than they are made from the encoded bytes.
struct PixelStoringRule {
  /// The maximum number of bytes of pixels. A larger image would take more of the disk than it saves time.
  static let maximumBytes = 32 << 20

  /// The number of bytes of the decoded pixels and of the encoded image.
  let pixelBytes, bodyBytes: Int
  /// The number of seconds that decoding and transforming took.
  let secondsToMake: Double
  /// The speed of the disk in bytes per second.
  let readSpeed: Double

  /// True if the pixels are to be stored.
  var isWorthStoring: Bool {
    guard pixelBytes > 0, pixelBytes <= Self.maximumBytes, secondsToMake.isFinite, readSpeed > 0 else {
      return false
    }
    let withPixels = Double(pixelBytes) / readSpeed
    let withBody = Double(max(0, bodyBytes)) / readSpeed + max(0, secondsToMake)
    return withPixels < withBody
  }
}
