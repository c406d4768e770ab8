import VitrineGraphics

/// The encoded bytes of an animation: a whole file, or the part of a file that has arrived.
///
/// The bytes of a file that is still arriving are kept in segments, so that more bytes can be added without a copy of the
/// earlier ones. No frame lies in more than one segment. Copies share the segments.
struct AnimationBytes: Sendable {
  /// Consecutive bytes of the file.
  struct Segment: Sendable {
    /// The offset in the file of the first byte.
    let start: Int
    let bytes: [UInt8]
  }

  private(set) var segments: [Segment] = []
  /// The number of bytes from the beginning of the file.
  private(set) var count = 0

  /// Creates a value without bytes.
  init() {}

  /// The bytes of a whole file, which are not copied.
  init(_ file: [UInt8]) {
    segments = [Segment(start: 0, bytes: file)]
    count = file.count
  }

  /// Copies more bytes of a file, up to `end`, which is the end of a frame.
  mutating func append(_ file: [UInt8], upTo end: Int) {
    guard end > count else { return }
    segments.append(Segment(start: count, bytes: Array(file[count..<end])))
    count = end
  }

  /// The source of a complete animation of these bytes; `nil` if the bytes are in several segments.
  var source: AnimationSource? { segments.count == 1 ? AnimationSource(file: beginning) : nil }

  /// The bytes before the second segment: the header of the file, and one or more frames.
  var beginning: [UInt8] { segments.first?.bytes ?? [] }

  /// Returns the segment of an offset in the file. O(log n) in the number of segments.
  ///
  /// - Precondition: The offset is one of a byte.
  func segment(at offset: Int) -> Segment {
    precondition(offset >= 0 && offset < count, "an offset of a byte")
    var (low, high) = (0, segments.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if segments[middle].start <= offset { low = middle } else { high = middle - 1 }
    }
    return segments[low]
  }
}
