import VitrineCurlTransport
import VitrineLoading

/// The configuration with which the shared downloader was created.
nonisolated struct SharedConfiguration {
  private let downloader: ImageDownloader.Configuration
  private let transport: CurlTransport.Configuration
  private var isReported = false

  init(_ downloader: ImageDownloader.Configuration, _ transport: CurlTransport.Configuration) {
    self.downloader = downloader
    self.transport = transport
  }

  /// Reports the first configuration that is ignored despite a difference from this one.
  mutating func reportIfIgnored(
    _ ignored: ImageDownloader.Configuration, _ ignoredTransport: CurlTransport.Configuration
  ) {
    guard !isReported,
      Self.describe(ignored, ignoredTransport) != Self.describe(downloader, transport)
    else { return }
    isReported = true
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
