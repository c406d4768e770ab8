public import VitrineSDLBackend

extension ManualTime {
  /// Stops the clock of an application's host.
  ///
  /// From now on, images enter the downloader's memory cache only in iterations of the host. Otherwise the cache hits
  /// would depend on how many images are loaded by the time the clock is advanced.
  public convenience init(of application: Application) {
    self.init(of: application.host)
    application.downloader.storesOnMainQueue = true
  }
}
