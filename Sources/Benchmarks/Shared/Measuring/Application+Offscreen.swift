import Vitrine

@MainActor extension Application {
  /// Opens a window off screen for the software renderer, without a disk cache.
  static func offscreen(configure: (inout Configuration) -> Void = { _ in }) throws -> Application {
    var configuration = Configuration(dataCache: nil)
    configuration.pixelCache = nil
    configuration.host.videoDriver = "offscreen"
    configuration.host.renderer = .software
    configure(&configuration)
    return try Application(configuration: configuration)
  }
}
