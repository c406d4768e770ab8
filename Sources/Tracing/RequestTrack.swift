/// The track of one request in a trace, from the call to the first frame: its spans, ordered by their beginning.
///
/// Work that several requests share is on the track of each request, for the time that the request waits for the work.
/// Two spans of a track follow or enclose each other, because Perfetto drops spans that overlap in part.
struct RequestTrack: Hashable {
  struct Span: Hashable {
    let name: String
    /// Nanoseconds of the trace's clock.
    let begin: Int64
    let end: Int64
    var notes: [String: Note] = [:]
  }

  enum Note: Hashable {
    case text(String)
    case number(Int)
  }

  let number: UInt64
  let url: String
  private(set) var spans: [Span] = []

  mutating func add(_ name: String, _ begin: Int64?, _ end: Int64?, _ notes: [String: Note] = [:]) {
    guard let begin, let end, begin <= end else { return }
    spans.append(Span(name: name, begin: begin, end: end, notes: notes))
  }

  /// Cuts the spans to the interval from `begin` to `end`, and removes spans outside of the interval.
  mutating func clip(from begin: Int64, to end: Int64) {
    spans = spans.compactMap { span in
      let first = max(begin, span.begin)
      let last = min(end, span.end)
      let isKept = first < last || (first == last && span.begin == span.end)
      return isKept ? Span(name: span.name, begin: first, end: last, notes: span.notes) : nil
    }
  }

  /// Adds a span for the whole request, which encloses the others.
  mutating func close(_ name: String, from begin: Int64, notes: [String: Note]) {
    let end = spans.map(\.end).max() ?? begin
    spans.insert(Span(name: name, begin: begin, end: max(begin, end), notes: notes), at: 0)
  }

  mutating func sort() {
    // Of two spans that begin together, the longer encloses the other.
    spans.sort { ($0.begin, -$0.end) < ($1.begin, -$1.end) }
  }
}
