public import VitrineGraphics

/// A picture and where it came from.
public struct ImageResponse: Sendable {
  /// The picture, ready to draw.
  public let image: Image
  /// Which stage had it.
  public let source: Source
  /// Head of the answer: nil from memory (AF-D8), without a status from a file.
  public let http: TransportResponse?
  /// What the transfer took; nil from memory.
  public let metrics: TransportMetrics?
  /// The bytes that the picture was decoded from, for a request that `keepsData`; nil from memory.
  public internal(set) var data: [UInt8]?

  /// Which stage had it.
  public enum Source: String, Hashable, Sendable, CaseIterable {
    /// Decoded already: shown in the same call, without a transition unless a slot is told otherwise.
    case memory
    /// Downloaded for this request, or for another one that it joined.
    case network
    /// A file or data URL.
    case file
  }

  /// An answer; without `http` and `metrics` for one from memory.
  public init(
    image: Image, source: Source, http: TransportResponse? = nil, metrics: TransportMetrics? = nil,
    data: [UInt8]? = nil
  ) {
    self.image = image
    self.source = source
    self.http = http
    self.metrics = metrics
    self.data = data
  }
}
