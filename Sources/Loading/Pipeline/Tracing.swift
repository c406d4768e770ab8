import VitrineGraphics

/// The memory lookup of a request, as noted when the load begins.
struct LookupNotes {
  /// The time of the request, by the clock of the trace.
  let began: Int64
  let memory: TraceEvent.Miss

  /// Returns the notes of a load that begins now without a lookup.
  static func bypassing(_ trace: Trace) -> Self { LookupNotes(began: trace.now, memory: .bypassed) }
}

extension TraceEvent.Request {
  /// Creates the entry of a request that has just begun to wait.
  init(
    _ id: TaskID, _ stages: (fetch: FetchID, decode: DecodeID, processedImage: ProcessedImageID),
    _ request: ImageRequest, _ lookup: LookupNotes, disk: TraceEvent.Miss?
  ) {
    self.init(
      number: id.number, url: Trace.shortened(request.identity.url), began: lookup.began,
      memory: lookup.memory, disk: disk, fetch: stages.fetch.number, decode: stages.decode.number,
      processedImage: stages.processedImage.number)
  }
}

extension TraceEvent.Kind {
  static func decodeEnded(_ id: DecodeID, _ result: Result<Image, ImageError>) -> Self {
    let image = try? result.get()
    return .decodeEnded(
      decode: id.number, width: Int32(image?.pixelWidth ?? 0), height: Int32(image?.pixelHeight ?? 0))
  }
}

extension TraceEvent.Outcome {
  init(_ result: Result<ImageResponse, ImageError>) {
    self =
      switch result {
      case .success(let response): .image(response.image.number, source: response.source.rawValue)
      case .failure(.cancelled): .cancelled
      case .failure(let error): .failed("\(error)")
      }
  }
}

extension TraceEvent.Transfer {
  /// Creates the entry of a transfer that has ended.
  ///
  /// - Parameters:
  ///   - metrics: The metrics, also those of a failed transfer; `nil` if there are none.
  ///   - isComplete: True if the transfer succeeded.
  ///   - isLocal: True if the bytes come from a file or a data URL.
  init(_ metrics: TransportMetrics?, isComplete: Bool, isLocal: Bool) {
    self.init()
    self.isLocal = isLocal
    self.isComplete = isComplete
    guard let metrics else { return }
    nameLookup = Self.microseconds(metrics.nameLookup)
    connect = Self.microseconds(metrics.connect)
    tls = Self.microseconds(metrics.tls)
    firstByte = Self.microseconds(metrics.firstByte)
    total = Self.microseconds(metrics.total)
    headBytes = UInt32(clamping: metrics.headBytesReceived)
    bytesSent = UInt32(clamping: metrics.bytesSent)
    bytes = metrics.bytesReceived
    httpVersion = metrics.httpVersion
    serverAddress = metrics.serverAddress
    requests = UInt16(clamping: metrics.requests)
    redirects = UInt16(clamping: metrics.redirects)
    connections = UInt16(clamping: metrics.connections)
    isReused = metrics.isReused
  }

  /// Returns the time in microseconds, at most 4,000 seconds; 0 for a negative or infinite time and for NaN.
  private static func microseconds(_ seconds: Double) -> UInt32 {
    UInt32(max(0, min(4e9, seconds.isFinite ? seconds * 1e6 : 0)))
  }
}
