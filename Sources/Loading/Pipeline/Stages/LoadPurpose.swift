/// The purpose of a load, which decides whether the load waits for a server.
enum LoadPurpose: Sendable {
  /// A load of the application. A stale response is shown after `FreshnessRules.staleAfter`.
  case application
  /// A load of a slot. A stale response is shown at once while the server is asked.
  case slot
  /// A load of the stored response for a slot, which shows the image while another load refreshes it.
  case storedImage
  /// A load that is sent once, without retries, and is not served by a stale response.
  case probe
}
