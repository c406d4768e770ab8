import Foundation
import Testing
import VitrineGraphics

/// The demo on rotated panels.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct PanelRunTests {
  /// A script that takes its screenshot while the list scrolls, so that the window is redrawn in parts.
  private static func script(screenshot: String) -> String {
    """
    clock manual
    wait idle
    hold 240 160
    expect "First light" state selected
    advance 100 ms
    drag 240 350 240 250 50
    advance 60 ms
    screenshot \(screenshot)
    """
  }

  @Test(arguments: ["90", "180", "270"])
  func rotatedPanelShowsTheUprightListRotated(degrees: String) async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    func image(_ degrees: String) async throws -> Screenshot {
      let file = program.path("\(degrees).png")
      let outcome = try await program.run(
        "--video", "offscreen", "--latency", "0", "--size", "480x401", "--rotate", degrees,
        script: Self.script(screenshot: file))
      #expect(outcome.exitCode == 0)
      return try Screenshot(contentsOf: file)
    }

    let upright = try await image("0")
    let turned = try await image(degrees)

    let rotation = try #require(Int(degrees).flatMap(Rotation.init))
    #expect((upright.width, upright.height) == (480, 401))
    #expect(turned.turnedBack(rotation) == upright)
  }
}
