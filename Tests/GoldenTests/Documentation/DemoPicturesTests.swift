import Testing
import VitrineGraphics
import VitrineTesting

/// The screens of the demo in the README and the documentation. `./run.sh pictures` records them.
@Suite("Pictures of the documentation: screens", .timeLimit(.minutes(5)))
struct DemoPicturesTests {
  private nonisolated static let moments = [
    // With a manual clock, the time of day stands still, and no processor time is shown.
    DemoMoment(
      name: "home", screen: "home", size: (1000, 560), options: "--chrome off",
      script: ["clock manual", "wait idle"]),
    DemoMoment(
      name: "viewer", screen: "home", size: (1000, 560), options: "--chrome off",
      script: ["clock manual", "wait idle", "tap 500 200", "wait idle"]),
    DemoMoment(name: "list", size: (1000, 628), part: Rect(x: 0, y: 0, width: 1000, height: 596)),
    DemoMoment(name: "grid", screen: "grid", size: (1000, 516), options: "--chrome off"),
    DemoMoment(
      name: "buttons", screen: "buttons", size: (1104, 680), latency: 1000, options: "--chrome off",
      script: ["wait idle", "press 912 212"]),
    DemoMoment(
      name: "transitions", screen: "transitions", size: (728, 1135), options: "--chrome off",
      script: ["clock manual", "wait idle", "key tab", "key space", "wait loaded", "advance 200 ms"]),
    DemoMoment(
      name: "indicators", screen: "indicators", size: (1104, 680), options: "--chrome off",
      script: ["clock manual", "advance 700 ms"]),
    // Without the corner that counts frames in real time.
    DemoMoment(
      name: "overlay", screen: "grid", size: (1016, 392), options: "--chrome off --overlay",
      script: ["clock manual", "wait idle"], part: Rect(x: 0, y: 0, width: 1016, height: 264)),
  ]

  @Test(arguments: moments)
  func screenIsAsShown(_ moment: DemoMoment) async throws {
    try expect(
      try await moment.screenshot(), looksLike: moment.name, in: ExpectedImages.documentation,
      tolerance: .text)
  }

}
