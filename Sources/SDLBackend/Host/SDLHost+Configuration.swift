public import VitrineGraphics
import VitrineWidgets

extension SDLHost {
  /// The settings of a host.
  public struct Configuration: Hashable, Sendable {
    /// The choice of a renderer.
    public enum Renderer: String, Hashable, Sendable, CaseIterable {
      /// OpenGL ES or OpenGL on a graphics processor if the machine has both a graphics processor and a screen;
      /// otherwise `software`. Off screen always `software`.
      case auto
      /// Drawing with the processor into main memory. Takes the least memory and, on small screens, often the least
      /// time.
      case software
      /// OpenGL ES 2, on a graphics processor or Mesa's software implementation.
      case opengles2
      /// OpenGL 2.1, on a graphics processor or Mesa's software implementation.
      case opengl
    }

    /// The window's title, where windows have titles.
    public var title = "Vitrine"
    /// The size of the upright interface in points; 1280x800 by default. KMSDRM and full-screen windows ignore this and
    /// use the whole screen in its current mode.
    public var size = Size(width: 1280, height: 800)
    /// True if the window covers the whole screen on X11 and Wayland, as it always does on KMSDRM; false by default. The
    /// mouse cursor is hidden until the mouse is moved. The drivers `offscreen` and `dummy` ignore this.
    public var isFullScreen = false
    /// The number of pixels per point; 1 by default. Numbers that are not positive count as 1.
    public var scale = 1.0
    /// The clockwise rotation for a panel that is mounted on its side or upside down; none by default. Views, `inject`
    /// and `size` stay upright. A quarter turn exchanges the width and the height of the window.
    public var rotation = Rotation.none
    /// An SDL video driver: `kmsdrm`, `x11`, `wayland`, `offscreen` or `dummy`. If `nil`, the default, the environment
    /// variable `SDL_VIDEODRIVER` decides or, if it is not set, the host chooses a driver that has a screen.
    public var videoDriver: String?
    /// The renderer; `.auto` by default. All renderers draw the same pixels. Creating a host fails if a renderer other
    /// than `.auto` does not work on the machine.
    public var renderer: Renderer = .auto
    /// The maximum number of bytes of textures; 64 MiB by default. Textures are scaled images and drawn texts, and with
    /// OpenGL all images.
    public var textureByteBudget = 64 << 20
    /// The maximum number of bytes of images for which textures are made in one frame; 8 MiB by default. Each frame may
    /// make at least one texture. Other images wait for the next frames and are drawn coarsely until then. An image
    /// that needs no scaling and is shown without a fade, such as a memory hit, is uploaded to OpenGL regardless of
    /// this limit.
    public var uploadByteBudget = 8 << 20
    /// The ledger in which textures count, and which requests their eviction; should be the downloader's ledger, as
    /// `Application` sets it. With `nil`, the default, textures count in no ledger.
    public var ledger: MemoryLedger?
    /// True if game controllers act as keyboards on video drivers with a screen: the D-pad and the left stick are arrow
    /// keys, A is Enter, B is Escape, X is Space, the shoulder buttons are Shift-Tab and Tab, and the triggers are minus and
    /// plus. Controllers may be connected at any time. True by default; needs read access to `/dev/input`.
    public var readsGamepads = true
    /// The font files for all texts; DejaVu Sans by default. They are opened when the host is created, which fails if
    /// they are missing.
    public var fonts: FontPaths = .dejaVu
    /// The trace that records when textures are made and when images are first shown. Must be the downloader's trace,
    /// as `Application` sets it, for the events of both to match.
    public var trace = Trace.shared

    /// Creates the default configuration.
    public init() {}

    var usableScale: Double { Window.isScale(scale) ? scale : 1 }
  }
}
