public import VitrineGraphics

/// A spinner that anything can draw over a view.
///
/// Being drawn is what keeps it turning: each drawing asks for the next step. A spinner that is hidden,
/// scrolled away or whose view has left the window therefore costs nothing, and goes on when it is seen again.
/// It does not keep the window busy.
public final class Spinner: FrameObserver {
  /// Of the brightest tooth. A change shows with the next step.
  public var color: Color
  /// In points.
  public var diameter: Double

  private weak var view: View?
  private var place = Rect.zero

  /// A spinner of a diameter in points; it turns once it is drawn.
  public init(color: Color = .white, diameter: Double) {
    self.color = color
    self.diameter = diameter
  }

  /// Draws the picture of the moment, its centre at a point of `view`, in `view`'s own drawing.
  public func draw(in view: View, at center: Point, into list: inout DrawList) {
    guard let window = view.window else { return }
    let pixels = Int((diameter * window.scale).rounded())
    let index = SpinnerArtwork.index(at: window.now)
    let image = SpinnerArtwork.frame(index: index, diameter: pixels, color: color)
    let side = Double(image.pixelWidth) / window.scale
    place = Rect(x: center.x - side / 2, y: center.y - side / 2, width: side, height: side)
    guard list.isVisible(place) else { return }
    list.draw(DrawList.Picture(image: image, destination: place))
    self.view = view
    let next = SpinnerArtwork.time(ofStepAfter: index)
    window.requestFrames(for: self, at: next, keepsBusy: false)
  }

  /// A step: what it covers is drawn again.
  public func frame(at now: Double) -> NextFrame {
    view?.setNeedsDisplay(place)
    return .never
  }
}
