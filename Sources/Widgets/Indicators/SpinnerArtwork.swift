package import VitrineGraphics

/// The cached images of a spinner: twelve teeth, the brightest of which moves round once per second.
///
/// The images are drawn once per size and color, because rotating an image costs a software renderer ten times as much
/// as copying one.
package enum SpinnerArtwork {
  /// The number of teeth, and of images per turn.
  package static let frameCount = 12
  package static let turnsPerSecond = 1.0

  private struct Key: Hashable {
    let diameter: Int
    let color: Color
    var isGrowing = false
  }
  private static var cache: [Key: [Image]] = [:]
  /// The maximum number of image sets in the cache; a full cache is emptied. A set of 12 images of 37x37 pixels takes
  /// 64 KiB.
  private static let capacity = 16

  /// Returns one of the images.
  ///
  /// - Parameters:
  ///   - index: The step of the animation, taken modulo `frameCount`.
  ///   - diameter: The diameter in pixels, at least 4.
  ///   - color: The color of the brightest tooth.
  package static func frame(index: Int, diameter: Int, color: Color) -> Image {
    let key = Key(diameter: max(4, diameter), color: color)
    let imageIndex = ((index % frameCount) + frameCount) % frameCount
    return images(key) { head in
      (0..<frameCount).map { tooth in
        // The opacity falls from 1 to about 0.22, quadratically along the tail.
        let fraction = 1 - Double((head - tooth + frameCount) % frameCount) / Double(frameCount)
        return 0.22 + 0.78 * fraction * fraction
      }
    }[imageIndex]
  }

  /// Returns the image of a spinner that is still being pulled, with the first teeth, clockwise from the top.
  static func growing(teeth: Int, diameter: Int, color: Color) -> Image {
    let key = Key(diameter: max(4, diameter), color: color, isGrowing: true)
    return images(key) { last in (0..<frameCount).map { $0 <= last ? 0.7 : 0 } }[
      min(max(1, teeth), frameCount) - 1]
  }

  /// Returns the images for all teeth, drawn on first use.
  private static func images(_ key: Key, opacities: (Int) -> [Double]) -> [Image] {
    if let images = cache[key] { return images }
    if cache.count >= capacity { cache.removeAll() }
    let images = (0..<frameCount).map {
      Image(bitmap(opacities($0), diameter: key.diameter, color: key.color))
    }
    cache[key] = images
    return images
  }

  /// Returns the index of the image at a time in seconds.
  static func index(at time: Double) -> Int {
    // The tolerance corrects rounding errors in a sum of steps.
    Int((time * turnsPerSecond * Double(frameCount) + 1e-6).rounded(.down))
  }

  /// Returns the time in seconds at which the image after `index` is due.
  static func time(ofStepAfter index: Int) -> Double {
    Double(index + 1) / (turnsPerSecond * Double(frameCount))
  }

  private static func bitmap(_ opacities: [Double], diameter: Int, color: Color) -> Bitmap {
    let teeth = opacities.enumerated().map { tooth, opacity in
      Tooth(index: tooth, diameter: Double(diameter), opacity: opacity)
    }
    return Bitmap(width: diameter, height: diameter) { x, y in
      let opacity = teeth.reduce(0) { max($0, $1.opacity(x: Double(x) + 0.5, y: Double(y) + 0.5)) }
      return color.multiplyingAlpha(by: opacity)
    }
  }

  /// The sines of the angles of the twelve teeth. Calculated without `sin`, whose first call takes up to 0.25 MB of memory
  /// for the code and the tables of libm.
  private static let sines: [Double] = {
    let half = [0, 0.5, 0.75.squareRoot(), 1, 0.75.squareRoot(), 0.5]
    return half + half.map { -$0 }
  }()

  /// A line with round ends that points at the center. The teeth are numbered clockwise from the top.
  private struct Tooth {
    let start, end: Point
    let radius: Double
    let opacity: Double

    init(index: Int, diameter: Double, opacity: Double) {
      let (sine, cosine) = (sines[index], sines[(index + frameCount / 4) % frameCount])
      radius = diameter * 0.0475
      let middle = diameter / 2
      func point(_ distance: Double) -> Point {
        Point(x: middle + sine * distance, y: middle - cosine * distance)
      }
      // The ends lie half a pixel inside, so that the antialiased edge is not cut off.
      start = point(diameter * 0.25 + radius)
      end = point(diameter / 2 - radius - 0.5)
      self.opacity = opacity
    }

    /// Returns the opacity at the center of a pixel: full inside, falling to 0 over one pixel at the edge.
    func opacity(x: Double, y: Double) -> Double {
      let along = end - start
      let from = Point(x: x, y: y) - start
      let length = along.x * along.x + along.y * along.y
      let fraction = length > 0 ? min(1, max(0, (from.x * along.x + from.y * along.y) / length)) : 0
      let nearest = Point(x: from.x - fraction * along.x, y: from.y - fraction * along.y)
      let distance = (nearest.x * nearest.x + nearest.y * nearest.y).squareRoot()
      return opacity * min(1, max(0, radius - distance + 0.5))
    }
  }
}
