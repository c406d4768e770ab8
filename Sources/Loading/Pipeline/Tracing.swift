import VitrineGraphics

/// What is known of a request's lookups when its load begins.
struct LookupNotes {
  /// When it was asked for, by the trace's clock.
  let began: Int64
  let memory: TraceEvent.Miss
}

extension LoadRegistry {
  /// What a trace notes of a request that has just begun to wait.
  func traceRequest(_ id: TaskID, _ request: ImageRequest, _ lookup: LookupNotes) -> TraceEvent.Request? {
    stages(of: id).map { stages in
      TraceEvent.Request(
        number: id.number, url: Trace.shortened(request.identity.url), began: lookup.began,
        memory: lookup.memory, disk: .noCache, fetch: stages.fetch.number, decode: stages.decode.number,
        picture: stages.picture.number)
    }
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
  init(_ result: Result<TransportMetrics, ImageError>, failureMetrics: TransportMetrics?, isLocal: Bool) {
    self.init()
    self.isLocal = isLocal
    let complete = try? result.get()
    isComplete = complete != nil
    guard let metrics = complete ?? failureMetrics else { return }
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

  /// 0 for what is no time; at most 71 minutes.
  private static func microseconds(_ seconds: Double) -> UInt32 {
    UInt32(max(0, min(4e9, seconds.isFinite ? seconds * 1e6 : 0)))
  }
}
