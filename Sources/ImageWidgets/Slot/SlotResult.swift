import VitrineGraphics
import VitrineLoading

/// The result of a load of a slot.
typealias SlotResult = Result<ImageResponse, ImageError>

extension SlotResult {
  /// True for a load that was cancelled.
  var isCancelled: Bool { if case .failure(.cancelled) = self { true } else { false } }

  /// The loaded image; `nil` for a failure.
  var image: Image? { if case .success(let response) = self { response.image } else { nil } }

  /// The result for the completions of a load that the slot has cancelled: a late success counts as cancelled, a
  /// failure stays a failure.
  var asCancelled: Self { if case .success = self { .failure(.cancelled) } else { self } }
}
