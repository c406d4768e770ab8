import VitrineCurlTransport
import VitrineLoading

/// The configuration with which the shared downloader was created.
nonisolated struct SharedConfiguration {
  private let downloader: ImageDownloader.Configuration
  private let transport: CurlTransport.Configuration
  private var hasIgnoredAnother = false

  init(_ downloader: ImageDownloader.Configuration, _ transport: CurlTransport.Configuration) {
    self.downloader = downloader
    self.transport = transport
  }

  /// Returns true for the first configuration that differs from this one, and false for all later ones.
  mutating func isFirstIgnored(
    _ ignored: ImageDownloader.Configuration, _ ignoredTransport: CurlTransport.Configuration
  ) -> Bool {
    guard !hasIgnoredAnother,
      Self.describe(ignored, ignoredTransport) != Self.describe(downloader, transport)
    else { return false }
    hasIgnoredAnother = true
    return true
  }

  /// Reports that a configuration is ignored. Calls the handler of the application.
  static func reportIgnored() {
    DiagnosticLog.report(
      DiagnosticMessage(
        subject: "bootstrap",
        text: "another configuration is ignored because the shared downloader exists already"))
  }

  /// Describes all values. Functions are described alike, and objects by their type, so that two configurations with
  /// different functions compare equal.
  private static func describe(
    _ downloader: ImageDownloader.Configuration, _ transport: CurlTransport.Configuration
  ) -> String {
    String(reflecting: downloader) + String(reflecting: transport)
  }
}
