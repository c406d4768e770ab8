import CSDL
import Glibc
import Testing
import VitrineGraphics

@testable import VitrineSDLBackend

/// Finds out if the tests of the OpenGL renderers can run here: Mesa draws off screen and without a GPU.
///
/// This asks SDL, not the host under test: a broken host must fail its tests, not skip them.
enum OpenGLMachine {
  fileprivate static let isHere = !looksForLeaks && drawsOffScreen(isES: true) && drawsOffScreen(isES: false)

  private static func drawsOffScreen(isES: Bool) -> Bool {
    guard SDL_VideoInit("offscreen") == 0 else { return false }
    defer { SDL_VideoQuit() }
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, isES ? Int32(SDL_GL_CONTEXT_PROFILE_ES.rawValue) : 0)
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 2)
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, isES ? 0 : 1)
    defer { SDL_GL_ResetAttributes() }
    guard let window = SDL_CreateWindow("", 0, 0, 16, 16, SDL_WINDOW_OPENGL.rawValue) else { return false }
    defer { SDL_DestroyWindow(window) }
    guard let context = SDL_GL_CreateContext(window) else { return false }
    SDL_GL_DeleteContext(context)
    return true
  }

  /// True if a leak sanitizer runs. Mesa leaks some kilobytes per context, in libraries that are unloaded before the
  /// sanitizer could name them for suppression.
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
  /// Tests that need OpenGL.
  @Suite(.needsOpenGL)
  struct OpenGLTests {}
}

extension Bitmap {
  /// True if channels differ by at most 2 levels in all but one pixel of a thousand.
  func looksLike(_ other: Bitmap) -> Bool {
    guard width == other.width, height == other.height else { return false }
    return pixelsFar(from: other) * 1000 <= width * height
  }

  /// The number of pixels with a channel that differs by more than 2 levels. The size and format must be equal.
  func pixelsFar(from other: Bitmap) -> Int {
    withUnsafeBytes { bytes in
      other.withUnsafeBytes { otherBytes in
        guard let first = bytes.baseAddress, let second = otherBytes.baseAddress else { return 0 }
        var count = 0
        // Plain loops, because tests are built without optimization.
        var offset = 0
        while offset < bytes.count {
          if first.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            != second.loadUnaligned(fromByteOffset: offset, as: UInt32.self),
            (offset..<(offset + 4)).contains(where: { abs(Int(bytes[$0]) - Int(otherBytes[$0])) > 2 })
          {
            count += 1
          }
          offset += 4
        }
        return count
      }
    }
  }
}
