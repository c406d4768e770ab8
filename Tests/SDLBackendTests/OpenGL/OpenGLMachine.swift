import Glibc
import Testing
import VitrineGraphics

@testable import VitrineSDLBackend

/// Whether the tests of the OpenGL renderers can run here: Mesa draws for them, off screen and without a GPU.
enum OpenGLMachine {
  fileprivate static let isHere =
    !looksForLeaks
    && SDLHost.Configuration.Renderer.openGL.allSatisfy { renderer in
      (try? TestHost { $0.renderer = renderer }) != nil
    }

  /// Whether a leak sanitizer runs. Mesa loses some kilobytes with each context, in libraries that are unloaded before
  /// the sanitizer could tell whose they are.
  private static var looksForLeaks: Bool { getenv("LSAN_OPTIONS") != nil }
}

extension Trait where Self == ConditionTrait {
  static var needsOpenGL: Self {
    .enabled(
      """
      OpenGL does not work off screen here (install libgl1-mesa-dri, libegl1, libgles2 and libgl1), or leaks are looked \
      for, of which Mesa has its own
      """
    ) { await OpenGLMachine.isHere }
  }
}

extension SDLHost.Configuration.Renderer {
  nonisolated static let openGL: [Self] = [.opengles2, .opengl]
}

extension SDLTests {
  /// What needs OpenGL.
  @Suite(.needsOpenGL)
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
