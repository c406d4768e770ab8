import VitrineGraphics
import VitrineWidgets

/// Returns a sample of a finger.
func sample(
  _ phase: TouchPhase, _ x: Double, _ y: Double, at time: Double, id: Int64 = 0
) -> TouchSample {
  TouchSample(id: id, phase: phase, location: Point(x: x, y: y), time: time)
}
