import Foundation
import Testing

/// `--trace` and the overlay, with the real program.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct TraceRunTests {
  private struct Document: Decodable {
    struct Slice: Decodable {
      let name, ph: String
      let tid: Int
      let ts, dur: Double?
    }
    let traceEvents: [Slice]
  }

  @Test func traceHasATrackWithStagesForEachImage() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "0", "--trace", program.path("trace.json"),
      script: "clock manual\nwait idle\n")

    #expect(outcome.exitCode == 0)
    let shown = try #require(outcome.stats).images.shown
    let data = try Data(contentsOf: URL(filePath: program.path("trace.json")))
    let slices = try JSONDecoder().decode(Document.self, from: data).traceEvents.filter { $0.ph == "X" }
    let tracks = Dictionary(grouping: slices, by: \.tid)
    #expect(tracks.count == shown)
    let stages = ["request", "queue", "memory lookup", "disk lookup", "body", "decode"]
    for track in tracks.values {
      for stage in stages { #expect(track.contains { $0.name == stage }, "no \(stage)") }
    }
    // Rows below the screen are prefetched and have no first frame.
    #expect(tracks.values.count { track in track.contains { $0.name == "first frame" } } >= 7)
    // Trace viewers need slices that are either disjoint or nested.
    for track in tracks.values {
      var ends: [Double] = []
      for slice in track {
        let begin = slice.ts ?? 0
        let end = begin + (slice.dur ?? 0)
        while let last = ends.last, last <= begin + 0.001 { ends.removeLast() }
        #expect(ends.allSatisfy { end <= $0 + 0.001 }, "\(slice.name) overlaps")
        ends.append(end)
      }
    }
  }

  @Test func unwritableTraceExitsWithCodeOne() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "0", "--trace", program.path("none/trace.json"), "--exit-when-idle"
    )

    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.contains("cannot write \(program.path("none/trace.json"))"))
  }

  @Test func f1KeyTogglesTheOverlay() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    for (name, options, keys) in [
      ("plain", [], ""), ("key", [], "key f1"), ("option", ["--overlay"], ""),
      ("twice", ["--overlay"], "key f1"),
    ] {
      let outcome = try await program.run(
        arguments: ["--video", "offscreen", "--latency", "0", "--size", "400x300"] + options,
        script: """
          clock manual
          wait idle
          \(keys)
          wait idle
          screenshot \(program.path(name + ".png"))
          """)
      #expect(outcome.exitCode == 0)
    }

    let plain = try Data(contentsOf: URL(filePath: program.path("plain.png")))
    #expect(try Data(contentsOf: URL(filePath: program.path("key.png"))) != plain)
    #expect(try Data(contentsOf: URL(filePath: program.path("option.png"))) != plain)
    #expect(try Data(contentsOf: URL(filePath: program.path("twice.png"))) == plain)
  }
}
