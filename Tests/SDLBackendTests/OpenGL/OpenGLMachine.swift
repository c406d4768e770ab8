import Testing
import VitrineGraphics

@testable import VitrineSDLBackend

/// Whether the tests of the OpenGL renderers can run here: Mesa draws for them, off screen and without a GPU.
enum OpenGLMachine {
  nonisolated static let reason: Comment =
    "OpenGL does not work off screen here: install libgl1-mesa-dri, libegl1, libgles2 and libgl1"

  static let isHere = SDLHost.Configuration.Renderer.openGL.allSatisfy { renderer in
    (try? TestHost { $0.renderer = renderer }) != nil
  }
}

extension SDLHost.Configuration.Renderer {
  nonisolated static let openGL: [Self] = [.opengles2, .opengl]
}

extension SDLTests {
  /// What needs OpenGL.
  @Suite(.enabled(OpenGLMachine.reason) { await OpenGLMachine.isHere })
  struct OpenGLTests {}
}

extension Bitmap {
  /// Whether nobody could tell the two apart: channels differ by 2 levels at most, but for one pixel of a thousand.
  func looksLike(_ other: Bitmap) -> Bool {
    guard width == other.width, height == other.height else { return false }
    return pixelsFar(from: other) * 1000 <= width * height
  }

  /// Pixels of which a channel differs by more than 2 levels; both bitmaps are of one size and format.
  func pixelsFar(from other: Bitmap) -> Int {
    withUnsafeBytes { mine in
      other.withUnsafeBytes { theirs in
        guard let first = mine.baseAddress, let second = theirs.baseAddress else { return 0 }
        var count = 0
        // Plain loops: tests are not optimised.
        var place = 0
        while place < mine.count {
          if first.loadUnaligned(fromByteOffset: place, as: UInt32.self)
            != second.loadUnaligned(fromByteOffset: place, as: UInt32.self),
            (place..<(place + 4)).contains(where: { abs(Int(mine[$0]) - Int(theirs[$0])) > 2 })
          {
            count += 1
          }
          place += 4
        }
        return count
      }
    }
  }
}
