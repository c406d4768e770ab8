import Foundation
import Testing
import VitrineGalleryServer

/// Several programs that share a cache directory.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct SharedCacheRunTests {
  @Test("eight programs with one cache send one request for each image")
  func eightProgramsFetchEachImageOnce() async throws {
    let server = try GalleryServer(images: VitrineProgram.assets, behaviour: .init(latency: .fixed(300)))
    defer { server.stop() }
    let names = ["portrait.jpg", "heart-normal.png"]
    let lines = names.map { "\(server.baseURL)/gallery/buttons/\($0)\t\($0)" }.joined(separator: "\n")
    let programs = try (0..<8).map { _ in try VitrineProgram(keepsImages: true) }
    defer { for program in programs { program.remove() } }
    let cache = programs[0].path("shared")

    let outcomes = try await withThrowingTaskGroup(of: VitrineProgram.Outcome.self) { group in
      for program in programs {
        let feed = try program.write(lines, to: "feed.txt")
        group.addTask {
          try await program.run(
            "--video", "offscreen", "--feed", feed, "--cache", cache, "--exit-when-idle")
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    for outcome in outcomes {
      #expect(outcome.exitCode == 0)
      #expect(outcome.stats?.images.shown == names.count && outcome.stats?.images.failed == 0)
    }
    #expect(Set(server.log.map(\.target)).count == names.count)
    #expect(server.log.count == names.count, "\(server.log.map(\.target))")
    #expect(outcomes.reduce(0) { $0 + ($1.stats?.images.network ?? 0) } == names.count)
  }
}
