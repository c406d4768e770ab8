public import VitrineGraphics
import VitrineWidgets

extension SDLHost {
  /// What a host is made with.
  public nonisolated struct Configuration: Hashable, Sendable {
    /// Who draws.
    public enum Renderer: String, Hashable, Sendable, CaseIterable {
      /// OpenGL ES or OpenGL where a graphics processor draws and somebody can see it, otherwise the processor. Off
      /// screen it is always the processor.
      case auto
      /// The processor, into memory. Takes the least memory, and on small screens often the least time.
      case software
      /// OpenGL ES 2, with a graphics processor or with Mesa's stand-in for one.
      case opengles2
      /// OpenGL 2.1, likewise.
      case opengl
    }

    /// Of the window, where it has one.
    public var title = "Vitrine"
    /// Of the upright picture in points. KMSDRM uses the whole screen in its present mode instead.
    public var size = Size(width: 1280, height: 800)
    /// Pixels to a point; what is not a positive number counts as 1.
    public var scale = 1.0
    /// How far the picture is turned for a panel that is mounted on its side. Views, `inject` and `size` stay
    /// upright; the window has its sides swapped where the panel has.
    public var rotation = Rotation.none
    /// An SDL video driver (`kmsdrm`, `x11`, `wayland`, `offscreen`, `dummy`); nil chooses one that has a
    /// screen, or what the environment's `SDL_VIDEODRIVER` says.
    public var videoDriver: String?
    /// Who draws. Any of them brings the same pixels to the screen; one that is named and does not work here is an
    /// error.
    public var renderer: Renderer = .auto
    /// Bytes that scaled pictures and drawn texts may take, or all that OpenGL is given: 64 MiB.
    public var textureByteBudget = 64 << 20
    /// Bytes of pictures that are made ready for the screen in one frame: 8 MiB. One picture is in any case,
    /// what is over waits for the next frames and is drawn coarsely until then. A picture that fits as it is and is shown without a fade, as
    /// a hit in memory is, is given to OpenGL all the same.
    public var uploadByteBudget = 8 << 20
    /// Where the textures count, and which asks them to go: the one of the downloader, which `Application` sees to. Nil,
    /// the default, counts nowhere.
    public var ledger: MemoryLedger?
    /// Whether game controllers press keys, on a driver with a screen: the D-pad and the left stick are arrows, A is
    /// Enter, B is Escape, the shoulder buttons are Shift-Tab and Tab. They may be plugged in at any time. True by
    /// default; needs no more than the right to read `/dev/input`.
    public var readsGamepads = true
    /// The files that labels and titles are drawn with; they are opened with the host, which fails without them.
    public var fonts: FontPaths = .dejaVu
    /// Where it notes when pictures are made ready for the screen and first seen on it; the one of the downloader, which
    /// `Application` sees to, or the two do not match.
    public var trace = Trace.shared

    /// The defaults.
    public init() {}

    var usableScale: Double { Window.isScale(scale) ? scale : 1 }
  }
}
