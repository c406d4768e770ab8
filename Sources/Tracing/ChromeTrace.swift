public import FoundationEssentials
public import VitrineGraphics

/// A trace as Chrome trace events, which Perfetto (ui.perfetto.dev) and Chrome's `about:tracing` open: one track for
/// each request, one slice for each stage.
///
/// The format is Google's “Trace Event Format”: complete events (`X`) with times in microseconds, and a metadata event
/// (`M`) that names each track after its URL. User names, passwords, and query values that may be keys or signatures
/// are removed from the URLs.
public struct ChromeTrace: Sendable {
  private let events: [TraceEvent]

  /// Creates a document from the present events of a trace. Requests whose first event has been overwritten are left
  /// out.
  public init(_ trace: Trace) { self.init(trace.events) }

  /// Creates a document from events. Requests whose first event is missing are left out.
  package init(_ events: [TraceEvent]) { self.events = events }

  /// Returns the document as UTF-8. O(*n* log *n*) in the number of events.
  public func json() throws -> Data {
    let tracks = TrackBuilder.tracks(of: events)
    let origin = tracks.lazy.flatMap(\.spans).map(\.begin).min() ?? 0
    var document = Document()
    document.traceEvents.append(.name(of: "process_name", track: 0, "vitrine"))
    for (index, track) in tracks.enumerated() {
      // The URL is not shortened: the trace has limited its length when the event was recorded.
      let url = track.url.withoutSecrets(longest: track.url.count)
      document.traceEvents.append(.name(of: "thread_name", track: index + 1, url))
      for span in track.spans {
        document.traceEvents.append(Slice(span, track: index + 1, origin: origin, url: url))
      }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(document)
  }

  /// Writes the document to a file, replacing an existing file.
  public func write(to path: String) throws { try json().write(to: URL(filePath: path)) }
}

extension ChromeTrace {
  private struct Document: Encodable {
    var traceEvents: [Slice] = []
    let displayTimeUnit = "ms"
  }

  private struct Slice: Encodable {
    let name: String
    let cat: String?
    let ph: String
    let ts: Double?
    let dur: Double?
    let pid = 1
    let tid: Int
    let args: [String: Value]

    init(_ span: RequestTrack.Span, track: Int, origin: Int64, url: String) {
      name = span.name
      cat = "image"
      ph = "X"
      ts = Double(span.begin - origin) / 1000
      dur = Double(span.end - span.begin) / 1000
      tid = track
      var args = span.notes.mapValues(Value.init)
      if span.name == "request" { args["url"] = Value(note: .text(url)) }
      self.args = args
    }

    private init(metadata: String, track: Int, value: String) {
      name = metadata
      cat = nil
      ph = "M"
      ts = nil
      dur = nil
      tid = track
      args = ["name": Value(note: .text(value))]
    }

    static func name(of metadata: String, track: Int, _ value: String) -> Slice {
      Slice(metadata: metadata, track: track, value: value)
    }
  }

  private struct Value: Encodable {
    let note: RequestTrack.Note

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch note {
      case .text(let text): try container.encode(text)
      case .number(let number): try container.encode(number)
      }
    }
  }
}
