package import VitrineGraphics

/// A decoded frame of an animation.
package struct DecodedFrame: Sendable {
  package let number: Int
  package let image: Image
}
