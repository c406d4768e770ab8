import Foundation
import Vitrine

/// The trace of three requests, drawn from the document that `ChromeTrace` writes. Each row is a track of the document.
struct TraceChart {
  private struct Slice: Decodable {
    let name: String
    let ph: String
    let ts: Double?
    let dur: Double?
    let tid: Int
    let args: [String: Value]?
  }

  private struct Document: Decodable {
    let traceEvents: [Slice]
  }

  /// A text or a number of a slice.
  private enum Value: Decodable {
    case text(String)
    case other

    init(from decoder: any Decoder) throws {
      self = (try? decoder.singleValueContainer().decode(String.self)).map(Value.text) ?? .other
    }
  }

  let events: [TraceEvent]

  private static let width = 880.0
  private static let rowHeight = 64.0
  private static let left = 24.0

  private static let colors: [String: UInt32] = [
    "queue": 0x6B7480, "DNS": 0x9C6ADE, "connect": 0xC678DD, "TLS": 0xE06C9F, "first byte": 0xE5A24A,
    "body": 0x4FA3FF, "decoder queue": 0x6B7480, "decode": 0x56B870, "transform": 0x3FA7A0,
    "first frame": 0xE5D24A,
  ]

  func image() throws -> Bitmap {
    let slices = try JSONDecoder().decode(Document.self, from: ChromeTrace(events).json()).traceEvents
    let tracks = Dictionary(grouping: slices.filter { $0.tid > 0 }, by: \.tid)
    let end = slices.map { ($0.ts ?? 0) + ($0.dur ?? 0) }.max() ?? 1
    let pixels = (Self.width - 2 * Self.left) / end
    let stage = try Stage(width: Self.width, height: 16 + Self.rowHeight * Double(tracks.count))
    for (row, number) in tracks.keys.sorted().enumerated() {
      let y = 12 + Self.rowHeight * Double(row)
      for slice in tracks[number] ?? [] {
        if slice.ph == "M", case .text(let url)? = slice.args?["name"] {
          label(url, x: Self.left, y: y, color: .white, size: 13, on: stage)
        }
        guard let start = slice.ts, let duration = slice.dur, let hex = Self.colors[slice.name] else {
          continue
        }
        let bar = View()
        bar.backgroundColor = Color(hex: hex)
        bar.cornerRadius = 3
        let width = max(2, (duration * pixels).rounded() - 1)
        stage.add(bar, x: Self.left + (start * pixels).rounded(), y: y + 20, width: width, height: 30)
        if width > 6.5 * Double(slice.name.count) {
          label(
            slice.name, x: Self.left + (start * pixels).rounded() + 4, y: y + 27, color: .black, size: 12,
            on: stage)
        }
      }
    }
    return stage.image()
  }

  private func label(_ text: String, x: Double, y: Double, color: Color, size: Double, on stage: Stage) {
    stage.add(
      Label(text, font: .regular(size), color: color), x: x, y: y, width: Self.width - x, height: size + 4)
  }
}

extension TraceChart {
  /// Three requests: one over a new connection, one over the same connection, and one of a slow server.
  static var sample: TraceChart {
    let first = request(
      1, "https://images.example/harbor.jpg", began: 0, connection: (4, 9, 21), end: 58, shown: 88)
    let second = request(
      2, "https://images.example/market.jpg", began: 2, connection: nil, end: 74, shown: 105)
    let third = request(
      3, "https://slow.example/aurora.jpg", began: 4, connection: (9, 24, 52), end: 142, shown: 171)
    return TraceChart(events: (first + second + third).sorted { $0.time < $1.time })
  }

  private static func event(_ milliseconds: Int64, _ kind: TraceEvent.Kind) -> TraceEvent {
    TraceEvent(time: milliseconds * 1_000_000, kind: kind)
  }

  /// - Parameters:
  ///   - connection: The times of name lookup, connection and TLS since the start of the fetch, in milliseconds; `nil`
  ///     for an existing connection.
  ///   - end: The time at which the body has arrived, in milliseconds since the origin.
  ///   - shown: The time of the first frame.
  private static func request(
    _ number: UInt64, _ url: String, began: Int64, connection: (UInt32, UInt32, UInt32)?, end: Int64,
    shown: Int64
  ) -> [TraceEvent] {
    let (fetch, decode, image) = (10 * number, 10 * number + 1, 10 * number + 2)
    let start = began + 6
    var transfer = TraceEvent.Transfer()
    (transfer.nameLookup, transfer.connect, transfer.tls) =
      connection.map { ($0 * 1000, $1 * 1000, $2 * 1000) } ?? (0, 0, 0)
    transfer.total = UInt32(end - start) * 1000
    transfer.firstByte = transfer.total / 2 + transfer.tls / 4
    transfer.isReused = connection == nil
    transfer.connections = connection == nil ? 0 : 1
    transfer.requests = 1
    transfer.bytes = 247_000
    transfer.isComplete = true
    return [
      event(
        began,
        .requested(
          TraceEvent.Request(
            number: number, url: url, began: began * 1_000_000, memory: .absent, disk: .absent, fetch: fetch,
            decode: decode, processedImage: image))),
      event(start, .fetchBegan(fetch: fetch)), event(end, .fetchEnded(fetch: fetch, transfer)),
      event(end + 3, .decodeBegan(decode: decode)),
      event(shown - 14, .decodeEnded(decode: decode, width: 640, height: 480)),
      event(shown - 13, .responded(request: number, .image(image, source: "network"))),
      event(shown, .shown(image: image)),
    ]
  }
}
