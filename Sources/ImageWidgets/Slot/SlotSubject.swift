import VitrineGraphics
import VitrineLoading

/// The subject of a slot: a request or a source that takes effect next, or the image that is shown. At most one of the
/// three is set; none is in an empty slot, while the first image of a request loads, and if that load fails.
///
/// Three optional values instead of an enumeration, because reading a payload of an enumeration copies it.
struct SlotSubject {
  /// An accepted request that has not begun, and its handlers.
  struct Accepted {
    var slotRequest: SlotRequest
    let listeners: SlotListeners
  }

  /// The latest request that has an image, with this image.
  struct Shown {
    var slotRequest: SlotRequest
    let image: Image
  }

  var accepted: Accepted?
  /// A source from which no request could be made, whose failure has not been shown.
  var refusal: SlotRefusal?
  var shown: Shown?
}

/// A source from which no request can be made.
final class SlotRefusal {
  let error: ImageError
  /// True if there is no URL at all, which clears the slot on purpose.
  let isNil: Bool
  let placeholder: Image?
  let options: SlotOptions

  init(_ error: ImageError, isNil: Bool, placeholder: Image?, options: SlotOptions) {
    self.error = error
    self.isNil = isNil
    self.placeholder = placeholder
    self.options = options
  }
}
