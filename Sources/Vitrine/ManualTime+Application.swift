public import VitrineSDLBackend

extension ManualTime {
  /// Stops the clock of an application's host. Pictures come into the memory of its downloader in turns of the host
  /// alone from now on, or what is a hit would depend on how much is loaded while the time is moved.
  public convenience init(of application: Application) {
    self.init(of: application.host)
    application.downloader.storesOnMainQueue = true
  }
}
