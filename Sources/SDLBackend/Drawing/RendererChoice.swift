import VitrineGraphics

/// Opens the window and creates the renderer.
@MainActor
struct RendererChoice {
  let configuration: SDLHost.Configuration
  let video: VideoSession
  let fonts: FontLibrary

  /// Returns the configured renderer or, with `.auto`, the best renderer for this machine.
  func renderer() throws(SDLHostError) -> any Renderer {
    switch configuration.renderer {
    case .auto:
      if let renderer = hardware() { return renderer }
      return try software()
    case .software: return try software()
    case .opengles2: return try openGL(.opengles2)
    case .opengl: return try openGL(.opengl)
    }
  }

  /// Returns an OpenGL renderer on a graphics processor; `nil` if there is no such processor or no screen.
  private func hardware() -> OpenGLRenderer? {
    guard video.hasScreen, !GraphicsProcessors(root: "").nodes.isEmpty else { return nil }
    for kind in [OpenGLDevice.Kind.opengles2, .opengl] {
      guard let renderer = try? openGL(kind) else { continue }
      if renderer.device.isHardware { return renderer }
      renderer.close()
    }
    return nil
  }

  private func openGL(_ kind: OpenGLDevice.Kind) throws(SDLHostError) -> OpenGLRenderer {
    try video.openWindow(for: .openGL(kind))
    let device = try OpenGLDevice(kind, video: video)
    return try OpenGLRenderer(
      device: device, rotation: configuration.rotation, fonts: fonts,
      textures: textures(OpenGLTextures(device: device)))
  }

  private func software() throws(SDLHostError) -> SoftwareRenderer {
    try video.openWindow(for: .surface)
    return SoftwareRenderer(
      video: video, rotation: configuration.rotation, fonts: fonts, textures: textures(PixelsInMemory()))
  }

  private func textures<Maker>(_ maker: Maker) -> TextureStore<Maker> {
    TextureStore(
      maker: maker, budget: configuration.textureByteBudget, frameBudget: configuration.uploadByteBudget,
      trace: configuration.trace, ledger: configuration.ledger ?? MemoryLedger())
  }
}
