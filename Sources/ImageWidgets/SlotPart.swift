import VitrineGraphics

/// A picture in part that a slot shows while it loads the whole, and what that has taken the place of.
struct SlotPart {
  private(set) var image: Image
  /// Comes back when there is no whole picture in the end.
  let before: Image?
  /// By which it was shown.
  let options: SlotOptions
  /// More of it, as soon as `image` has faded in.
  private var next: Image?

  init(_ image: Image, insteadOf before: Image?, options: SlotOptions) {
    self.image = image
    self.before = before
    self.options = options
  }

  /// More of it has come; whether nothing waited yet to be next.
  mutating func append(_ more: Image) -> Bool {
    defer { next = more }
    return next == nil
  }

  /// Whether there is more of it than `image`, which it becomes.
  mutating func advance() -> Bool {
    guard let next else { return false }
    image = next
    self.next = nil
    return true
  }
}
