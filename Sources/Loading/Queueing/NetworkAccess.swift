/// The switch that keeps requests from leaving this machine, and the downloads that it has refused. Makes decisions only.
struct NetworkAccess {
  /// True if no request may leave this machine.
  var isOffline = false
  /// The refused downloads whose fetches have not been told yet, in order. May include fetches that have ended.
  private var refused: [FetchID] = []

  /// Returns true if a download must not be queued. The download is then among the refused ones.
  mutating func refuses(_ id: FetchID, _ lane: DownloadQueue.Lane) -> Bool {
    guard isOffline, !lane.isLocal else { return false }
    refused.append(id)
    return true
  }

  /// Removes and returns the refused downloads.
  mutating func takeRefused() -> [FetchID] {
    guard !refused.isEmpty else { return [] }
    defer { refused = [] }
    return refused
  }
}
