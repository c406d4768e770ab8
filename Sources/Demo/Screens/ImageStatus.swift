import Vitrine

/// The state of an image, as the last line of its row states it.
nonisolated enum ImageStatus: Equatable {
  case loading
  /// The format and the size in pixels of the encoded image, and the time at which it was taken; `nil` if not known.
  case loaded(ImageFormat, width: Int, height: Int, taken: CaptureTime? = nil)
  /// A stored image that the server has not confirmed; the age is `nil` if unknown.
  case stored(StoredAge?, StaleReason)
  case failed(StaleReason)

  /// The status in words; empty while the image is loading.
  var text: String {
    switch self {
    case .loading: ""
    case .loaded(let format, let width, let height, let taken):
      [taken?.date, Self.name(of: format), "\(width) × \(height)"].compactMap { $0 }.joined(
        separator: "  ·  ")
    case .stored(let age, let reason):
      ["Stored", age.map { "\($0) old" }, reason.text].compactMap { $0 }.joined(separator: "  ·  ")
    case .failed(.other): "The image cannot be loaded"
    case .failed(let reason): reason.text.prefix(1).uppercased() + reason.text.dropFirst()
    }
  }

  /// True if the text has an age, which grows.
  var showsAge: Bool { if case .stored(.some, _) = self { true } else { false } }

  /// True if the status is not what the user expects.
  var isProblem: Bool {
    switch self {
    case .stored, .failed: true
    case .loading, .loaded: false
    }
  }

  private static func name(of format: ImageFormat) -> String? {
    switch format {
    case .jpeg: "JPEG"
    case .png: "PNG"
    case .webp: "WebP"
    case .gif: "GIF"
    case .raw: nil
    }
  }
}
