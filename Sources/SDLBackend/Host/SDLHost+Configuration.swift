public import VitrineGraphics

extension SDLHost {
  /// What a host is made with.
  public nonisolated struct Configuration: Hashable, Sendable {
    /// Who draws.
    public enum Renderer: String, Hashable, Sendable, CaseIterable {
      /// The processor, into memory.
      case software
    }

    /// Of the window, where it has one.
    public var title = "Vitrine"
    /// Of the window in points. KMSDRM uses the whole screen in its present mode instead.
    public var size = Size(width: 1280, height: 800)
    /// Pixels to a point.
    public var scale = 1.0
    /// An SDL video driver (`kmsdrm`, `x11`, `wayland`, `offscreen`, `dummy`); nil chooses one that has a
    /// screen, or what the environment's `SDL_VIDEODRIVER` says.
    public var videoDriver: String?
    /// Who draws; the processor by default.
    public var renderer: Renderer = .software
    /// Bytes that scaled pictures and drawn texts may take: 64 MiB.
    public var textureByteBudget = 64 << 20
    /// Bytes of pictures that are made ready for the screen in one frame: 8 MiB. One picture is in any case,
    /// what is over waits for the next frames and is drawn coarsely until then.
    public var uploadByteBudget = 8 << 20
    /// The files that labels and titles are drawn with; they are opened with the host, which fails without them.
    public var fonts: FontPaths = .dejaVu

    /// The defaults.
    public init() {}
  }
}
