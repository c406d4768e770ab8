/// A decoder that draws the frames on which a frame depends, and tells which of them is damaged.
///
/// An animation plays up to its first damaged frame. If the decoder does not conform to this protocol, the frame that was
/// asked for counts as damaged. In a reverse mode, the frames before it are then tried one by one.
public protocol DamageLocating: FrameDecoding {
  /// The number of the frame that could not be decoded when the last call of `frame(_:isCancelled:)` has thrown `.damaged`;
  /// `nil` if it is unknown. This frame and all later ones are left out. Read on the thread of the call.
  var damagedFrame: Int? { get }
}
