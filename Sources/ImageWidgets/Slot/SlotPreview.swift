import VitrineGraphics

/// A preview that a slot shows while loading, and the image shown before the first preview.
struct SlotPreview {
  private(set) var image: Image
  /// The image shown before the first preview, restored if the load ends without a final image.
  let before: Image?
  /// The latest preview received during the transition to `image`.
  private var next: Image?

  init(_ image: Image, insteadOf before: Image?) {
    self.image = image
    self.before = before
  }

  /// Keeps a preview to be shown next. Returns true if no other preview was waiting.
  mutating func append(_ more: Image) -> Bool {
    defer { next = more }
    return next == nil
  }

  /// Makes the waiting preview the current `image`. Returns false if none is waiting.
  mutating func advance() -> Bool {
    guard let next else { return false }
    image = next
    self.next = nil
    return true
  }
}
