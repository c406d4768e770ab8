import VitrineGraphics

/// Groups trace events by request.
struct TrackBuilder {
  private struct Interval {
    var begin, end: Int64?
  }

  private struct Response {
    let time: Int64
    let outcome: TraceEvent.Outcome
  }

  /// The requests by number. A request that was sent again because of `Vary` begins at that time.
  private var requests: [UInt64: (request: TraceEvent.Request, time: Int64)] = [:]
  private var served: [(request: UInt64, url: String, image: UInt64, time: Int64)] = []
  private var responses: [UInt64: Response] = [:]
  private var lookups: [UInt64: Interval] = [:]
  /// The fetches whose response was on disk.
  private var found: Set<UInt64> = []
  private var fetches: [UInt64: Interval] = [:]
  private var transfers: [UInt64: TraceEvent.Transfer] = [:]
  private var decodes: [UInt64: Interval] = [:]
  private var sizes: [UInt64: (width: Int32, height: Int32)] = [:]
  private var transforms: [UInt64: Interval] = [:]
  private var uploads: [UInt64: [Interval]] = [:]
  private var shown: [UInt64: [Int64]] = [:]
  private var lastTime = Int64.min

  /// Returns a track for each request whose first event is in `events`, ordered by the time of that event.
  static func tracks(of events: [TraceEvent]) -> [RequestTrack] {
    var builder = TrackBuilder()
    for event in events { builder.read(event) }
    return builder.tracks()
  }

  private mutating func read(_ event: TraceEvent) {
    let time = event.time
    lastTime = max(lastTime, time)
    switch event.kind {
    case .served(let request, let url, let image): served.append((request, url, image, time))
    case .requested(let request): requests[request.number] = (request, time)
    case .responded(let request, let outcome): responses[request] = Response(time: time, outcome: outcome)
    case .lookupBegan(let fetch): lookups[fetch, default: Interval()].begin = time
    case .lookupEnded(let fetch, let isFound):
      lookups[fetch, default: Interval()].end = time
      if isFound { found.insert(fetch) }
    case .fetchBegan(let fetch): fetches[fetch, default: Interval()].begin = time
    case .fetchEnded(let fetch, let transfer):
      fetches[fetch, default: Interval()].end = time
      transfers[fetch] = transfer
    case .decodeBegan(let decode): decodes[decode, default: Interval()].begin = time
    case .decodeEnded(let decode, let width, let height):
      decodes[decode, default: Interval()].end = time
      sizes[decode] = (width, height)
    case .transformBegan(let processedImage): transforms[processedImage, default: Interval()].begin = time
    case .transformEnded(let processedImage): transforms[processedImage, default: Interval()].end = time
    case .uploaded(let image, let duration):
      uploads[image, default: []].append(Interval(begin: time - duration, end: time))
    case .shown(let image): shown[image, default: []].append(time)
    }
  }

  private func tracks() -> [RequestTrack] {
    let hits = served.map { hit -> (Int64, RequestTrack) in
      var track = RequestTrack(number: hit.request, url: hit.url)
      track.add("memory lookup", hit.time, hit.time, ["result": .text("hit")])
      addScreen(of: hit.image, from: hit.time, to: &track)
      track.close("request", from: hit.time, notes: ["source": .text("memory")])
      return (hit.time, track)
    }
    let loads = requests.values.sorted { $0.request.number < $1.request.number }.map {
      ($0.request.began, track(of: $0.request, lookedUpBy: $0.time))
    }
    return (hits + loads).sorted { $0.0 < $1.0 }.map { _, track in
      var track = track
      track.sort()
      return track
    }
  }

  private func track(of request: TraceEvent.Request, lookedUpBy time: Int64) -> RequestTrack {
    var track = RequestTrack(number: request.number, url: request.url)
    let response = responses[request.number]
    if request.fetch != 0 { addFetch(of: request, lookedUpBy: time, responded: response?.time, to: &track) }
    addDecode(of: request, to: &track)
    if let transform = transforms[request.processedImage] {
      track.add("transform", transform.begin, transform.end)
    }
    // Shared work before this request joined, or after its end, belongs to other requests only.
    track.clip(from: time, to: response?.time ?? .max)
    track.add(
      "memory lookup", request.began, time,
      ["result": .text("miss"), "why": .text(request.memory.rawValue)])
    addLookup(of: request, at: time, to: &track)

    var notes: [String: RequestTrack.Note] = [:]
    switch response?.outcome {
    case .image(let image, let source):
      notes["source"] = .text(source)
      addScreen(of: image, from: response?.time ?? request.began, to: &track)
    case .cancelled: notes["result"] = .text("cancelled")
    case .failed(let error): notes["result"] = .text("failed: \(error)")
    case nil: notes["result"] = .text("under way")
    }
    if let response { track.add("responded", response.time, response.time) }
    track.close("request", from: request.began, notes: notes)
    return track
  }

  /// Adds the disk lookup, which another request of the same fetch may have begun.
  private func addLookup(of request: TraceEvent.Request, at time: Int64, to track: inout RequestTrack) {
    guard let lookup = lookups[request.fetch], let begin = lookup.begin else {
      // A lookup that has not begun is part of the queue.
      guard let reason = request.disk else { return }
      return track.add("disk lookup", time, time, ["result": .text("miss"), "why": .text(reason.rawValue)])
    }
    let result = lookup.end == nil ? "under way" : found.contains(request.fetch) ? "hit" : "miss"
    track.add("disk lookup", max(begin, time), max(lookup.end ?? lastTime, time), ["result": .text(result)])
  }

  private func addFetch(
    of request: TraceEvent.Request, lookedUpBy time: Int64, responded: Int64?, to track: inout RequestTrack
  ) {
    let lookup = lookups[request.fetch]
    if let begin = lookup?.begin, begin >= time { track.add("queue", time, begin) }
    let queued = max(time, lookup?.end ?? time)
    guard let begin = fetches[request.fetch]?.begin else {
      // The response was on disk, or the request was cancelled in the queue, or still waits.
      if !found.contains(request.fetch), lookup?.begin == nil || lookup?.end != nil {
        track.add("queue", queued, responded ?? lastTime)
      }
      return
    }
    if begin >= queued {
      track.add("queue", queued, begin)
    } else {
      track.add(
        "joined", time, time, ["fetch": .number(Int(truncatingIfNeeded: request.fetch & 0xFF_FFFF_FFFF))])
    }
    guard let end = fetches[request.fetch]?.end, let transfer = transfers[request.fetch] else {
      return track.add("transfer", begin, responded ?? lastTime)
    }
    if transfer.isLocal {
      track.add("read", begin, end, ["bytes": .number(transfer.bytes)])
    } else {
      addTransfer(transfer, from: begin, to: end, on: &track)
    }
  }

  /// Adds the steps of a transfer. Their times count from the start of the last hop. The time before that was spent on
  /// redirects.
  private func addTransfer(
    _ transfer: TraceEvent.Transfer, from begin: Int64, to end: Int64, on track: inout RequestTrack
  ) {
    let hop = max(begin, end - Int64(transfer.total) * 1000)
    if transfer.redirects > 0 {
      track.add("redirects", begin, hop, ["count": .number(Int(transfer.redirects))])
    }
    var last = hop
    func step(_ name: String, until microseconds: UInt32, _ notes: [String: RequestTrack.Note] = [:]) {
      let time = min(end, hop + Int64(microseconds) * 1000)
      guard microseconds > 0, time > last else { return }
      track.add(name, last, time, notes)
      last = time
    }
    if !transfer.isReused {
      step("DNS", until: transfer.nameLookup)
      step("connect", until: transfer.connect)
      step("TLS", until: transfer.tls)
    }
    var connection: [String: RequestTrack.Note] = [
      "connection": .text(transfer.isReused ? "reused" : "new"), "requests": .number(Int(transfer.requests)),
      "bytes sent": .number(Int(clamping: transfer.bytesSent)),
      "bytes of head": .number(Int(clamping: transfer.headBytes)),
    ]
    connection["protocol"] = transfer.httpVersion.map { .text("HTTP/\($0)") }
    connection["address"] = transfer.serverAddress.map { .text($0) }
    step("first byte", until: transfer.firstByte, connection)
    let result = transfer.isComplete ? "complete" : "broken off"
    if let step = unfinishedStep(of: transfer, isEncrypted: track.url.hasPrefix("https:")) {
      let notes = step == "first byte" ? connection : [:]
      track.add(step, last, end, notes.merging(["result": .text(result)]) { $1 })
    } else {
      track.add("body", last, end, ["bytes": .number(transfer.bytes), "result": .text(result)])
    }
  }

  /// Returns the step in which a transfer failed before a response arrived; `nil` if a response has arrived.
  private func unfinishedStep(of transfer: TraceEvent.Transfer, isEncrypted: Bool) -> String? {
    guard !transfer.isComplete, transfer.firstByte == 0 else { return nil }
    if transfer.isReused { return "first byte" }
    if transfer.nameLookup == 0 { return "DNS" }
    if transfer.connect == 0 { return "connect" }
    return isEncrypted && transfer.tls == 0 ? "TLS" : "first byte"
  }

  private func addDecode(of request: TraceEvent.Request, to track: inout RequestTrack) {
    guard let decode = decodes[request.decode] else { return }
    track.add("decoder queue", fetches[request.fetch]?.end ?? lookups[request.fetch]?.end, decode.begin)
    let size = sizes[request.decode] ?? (0, 0)
    let isImage = size.width > 0
    track.add(
      "decode", decode.begin, decode.end, ["size": .text(isImage ? "\(size.width)x\(size.height)" : "none")]
    )
  }

  /// Adds the upload and the first frame of an image after the request has received the image.
  private func addScreen(of image: UInt64, from begin: Int64, to track: inout RequestTrack) {
    let seen = shown[image]?.first { $0 >= begin }
    for upload in uploads[image] ?? [] {
      guard let start = upload.begin, start >= begin, start <= seen ?? .max else { continue }
      track.add("upload", start, upload.end)
    }
    track.add("first frame", begin, seen)
  }
}
