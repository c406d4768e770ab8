/// A live stream as served: frames that replace each other, repeated for as long as the client reads.
struct LiveExhibit: Equatable {
  /// The maximum number of different frames. Each open file takes a descriptor while the response is sent.
  static let maximumFrames = 8
  /// The maximum number of parts of a response that ends.
  static let maximumParts = 10_000

  var frames: [Exhibit]
  /// The number of frames per second, from 1 to 60.
  var framesPerSecond = 5
  /// The number of parts after which the response ends or falls silent; `nil` for a response without end.
  var partCount: Int?
  /// True if the response falls silent in place of ending.
  var hangs = false
  /// True if each part states its length.
  var statesLengths = true

  /// Reads the settings of the stream from the query items `fps`, `parts`, `hang` and `lengths`.
  init(frames: [Exhibit], _ target: Target) {
    self.frames = frames
    for (name, value) in target.items {
      switch name {
      case "fps": framesPerSecond = Int(value).map { max(1, min($0, 60)) } ?? framesPerSecond
      case "parts": partCount = Int(value).map { max(0, min($0, Self.maximumParts)) } ?? partCount
      case "hang": hangs = value == "1"
      case "lengths": statesLengths = value != "0"
      default: break
      }
    }
  }
}
