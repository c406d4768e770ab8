/// A decoder that draws the frames on which a frame depends, and tells which of them is damaged.
package protocol DamageLocating: FrameDecoding {
  /// The frame that could not be decoded when `frame(_:isCancelled:)` has thrown `.damaged`; `nil` if it is unknown.
  var damagedFrame: Int? { get }
}
