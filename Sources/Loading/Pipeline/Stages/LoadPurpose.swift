/// The purpose of a load, which decides whether the load waits for a server, and whether a frame waits for the load.
enum LoadPurpose: Sendable {
  /// A load of the application. A stale response is shown after `FreshnessRules.staleAfter`.
  case application
  /// A load of a slot. A stale response is shown at once while the server is asked.
  case slot
  /// A load of a slot without which the screen is empty. A frame that waits for stored images waits for its decode as
  /// well, and shows nothing else meanwhile.
  case awaitedSlot
  /// A load of the stored response for a slot, which shows the image while another load refreshes it.
  case storedImage
  /// A load that is sent once, without retries, and is not served by a stale response.
  case probe

  /// True for a load whose image is shown on the screen and repainted when a newer one arrives.
  var isSlot: Bool { self == .slot || self == .awaitedSlot }

  /// True for a load that receives the first frame of an animation, or a smaller variant, until its image is decoded.
  var takesProvisionalImages: Bool { isSlot || self == .storedImage }
}
