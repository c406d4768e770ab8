import FoundationEssentials
import Testing

@testable import VitrineAnimation

/// Random sequences of calls with fixed seeds. `./run.sh fuzz playback` runs others.
@Suite(.timeLimit(.minutes(5))) struct RunTests {
  /// Pseudorandom bytes that are equal in each run.
  private func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 33)
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func playbackKeepsItsRulesWithAllTimesAndSettings(seed: UInt64) throws {
    for part in 0..<6 as Range<UInt64> { try PlaybackRun.run(bytes(600, seed: seed << 8 | part)) }
  }

  /// Among them are the findings of earlier runs.
  @Test func playbackKeepsItsRulesWithTheSeedsOfTheFuzzer() throws {
    let folder = URL(filePath: #filePath).appending(path: "../../../Fuzz/Seeds/playback").standardized.path
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)

    #expect(names.count >= 5)
    for name in names {
      let bytes = try #require(FileManager.default.contents(atPath: folder + "/" + name))
      try PlaybackRun.run([UInt8](bytes))
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func planOfFramesKeepsItsRulesWithAllDemandsAndOutcomes(seed: UInt64) throws {
    for part in 0..<3 as Range<UInt64> { try FramePlanRun.run(bytes(1200, seed: seed << 8 | part)) }
  }
}
