import Glibc

/// The source of an animation's frames: an encoded image, and the transforms that are applied to its frames. Animations
/// with the same source show the same at the same time, perhaps at different sizes.
package struct AnimationSource: Sendable {
  private let file: [UInt8]
  /// The identifiers of the transforms, in order.
  private var transforms: [String] = []

  /// - Parameter file: The whole encoded image, which is not copied.
  package init(file: [UInt8]) { self.file = file }

  /// Returns the source of an animation whose frames are transformed.
  ///
  /// - Parameter identifier: The identifier of the transform.
  package func transformed(by identifier: String) -> AnimationSource {
    var result = self
    result.transforms.append(identifier)
    return result
  }

  /// Returns true if both have the same bytes and the same transforms. O(bytes) unless the bytes are shared.
  func isSame(as other: AnimationSource) -> Bool {
    guard transforms == other.transforms, file.count == other.file.count else { return false }
    return file.withUnsafeBytes { bytes in
      other.file.withUnsafeBytes { others in
        guard let first = bytes.baseAddress, let second = others.baseAddress, first != second else {
          return true
        }
        return memcmp(first, second, bytes.count) == 0
      }
    }
  }
}
