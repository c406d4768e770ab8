import Vitrine

/// A row of views that scrolls sideways: by finger, and by a wheel of either direction. Keys that no view has handled
/// do not scroll it.
class SidewaysScrollView: ScrollView {
  override init(frame: Rect = .zero) {
    super.init(frame: frame)
    showsIndicators = false
  }

  override var takesUnclaimedKeys: Bool { false }

  override func wheel(at location: Point, deltaX: Double, deltaY: Double) -> Bool {
    super.wheel(at: location, deltaX: deltaX == 0 ? deltaY : deltaX, deltaY: 0)
  }
}
