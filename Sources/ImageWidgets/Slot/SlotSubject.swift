import VitrineGraphics
import VitrineLoading

/// The subject of a slot: the request that begins next, or the image that is shown. `none` while the first image of a
/// request loads, and after a failure.
enum SlotSubject {
  case none
  /// An accepted request that has not begun, and its handlers.
  case requested(SlotRequest, SlotListeners)
  /// A source from which no request could be made, whose failure has not been shown.
  case refused(SlotRefusal)
  /// The latest request that has an image, with this image.
  case shown(SlotRequest, Image)
}

/// A source from which no request can be made.
struct SlotRefusal {
  let error: ImageError
  /// True if there is no URL at all, which clears the slot on purpose.
  let isNil: Bool
  let placeholder: Image?
  let options: SlotOptions
}
