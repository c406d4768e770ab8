import Testing
import VitrineGraphics
import VitrineTesting

/// The demo's screens, as screenshots of the program running off screen.
@Suite(.timeLimit(.minutes(5)))
struct DemoGoldenTests {
  private nonisolated static let cases = [
    DemoMoment(
      name: "home", screen: "home", size: (1280, 800), options: "--scale 0.5", script: still,
      part: Rect(x: 0, y: 0, width: 640, height: 384)),
    DemoMoment(
      name: "home-cursor", screen: "home", size: (640, 400), options: "--chrome off",
      script: still + ["key right", "key right", "wait idle"]),
    DemoMoment(
      name: "home-portrait", screen: "home", size: (480, 800), options: "--chrome off", script: still),
    DemoMoment(
      name: "home-small", screen: "home", size: (320, 240), script: still,
      part: Rect(x: 0, y: 0, width: 320, height: 208)),
    DemoMoment(name: "list", part: rows),
    DemoMoment(
      name: "list-cursor", script: ["wait idle", "key tab", "key down", "key down", "wait idle"], part: rows),
    DemoMoment(
      name: "list-down", script: ["wait idle", "tap on Down", "tap on \"Clear cache\"", "wait idle"],
      part: rows),
    DemoMoment(name: "list-scale", size: (280, 96), options: "--chrome off --scale 1.5"),
    DemoMoment(name: "header", script: ["wait idle"] + Array(repeating: "key tab", count: 4), part: header),
    DemoMoment(name: "header-wide", screen: "buttons", size: (1280, 336), part: wideHeader),
    DemoMoment(
      name: "buttons", screen: "buttons", size: cards, latency: 1000, options: "--chrome off"),
    DemoMoment(
      name: "buttons-pressed", screen: "buttons", size: cards, latency: 1000, options: "--chrome off",
      script: ["wait idle", "press 912 212"], part: card(2)),
    DemoMoment(
      name: "buttons-selected", screen: "buttons", size: cards, latency: 1000, options: "--chrome off",
      script: ["wait idle", "tap 912 212", "tap 552 180"], part: card(1).union(card(2))),
    DemoMoment(
      name: "buttons-states", screen: "buttons", size: wide, latency: 1000, options: "--chrome off",
      script: ["wait idle", "key end", "wait idle"]),
    DemoMoment(
      name: "buttons-states-narrow", screen: "buttons", size: (480, 776), latency: 1000,
      options: "--chrome off",
      script: ["wait idle", "key end", "wait idle"]),
    // With a manual clock that does not advance further, no response is delivered.
    DemoMoment(
      name: "indicators", screen: "indicators", size: cards, options: "--chrome off",
      script: ["clock manual", "advance 700 ms"]),
    DemoMoment(name: "grid", screen: "grid", size: (344, 136), options: "--chrome off"),
    DemoMoment(
      name: "grid-cursor", screen: "grid", size: small, options: tiles,
      script: ["wait idle", "key tab", "key right", "key down", "wait idle"]),
    DemoMoment(
      name: "grid-fading", screen: "grid", size: small, options: tiles,
      script: ["clock manual", "wait loaded", "advance 125 ms"]),
    DemoMoment(
      name: "grid-thrown", screen: "grid", size: small, options: tiles,
      script: ["clock manual", "wait idle", "drag 100 90 100 20 100", "advance 125 ms"]),
    DemoMoment(name: "transitions", screen: "transitions", size: (496, 280), options: "--chrome off"),
    DemoMoment(
      name: "transitions-midway", screen: "transitions", size: (728, 1135),
      options: "--chrome off --scale 0.5",
      script: [
        "clock manual", "wait idle", "key tab", "key space", "wait loaded", "advance 200 ms",
      ]),
    // The images from the network and from disk are half faded in.
    DemoMoment(
      name: "transitions-sources", screen: "transitions", size: (728, 440), keepsImages: true,
      options: "--chrome off --scale 0.5",
      script: [
        "clock manual", "wait idle", "key tab", "key end", "wait idle", "key space", "wait loaded",
        "advance 100 ms",
      ]),
    // An image that grows from its tile: at the beginning, at 25, 50 and 75 % of its way, and over the whole window.
    opening("0", after: "0"), opening("25", after: "80"), opening("50", after: "140"),
    opening("75", after: "224"),
    opening("100", after: "2000"),
    // An image that is enlarged by a double tap within 0.3 s.
    zooming("0", after: "0"), zooming("25", after: "75"), zooming("50", after: "150"),
    zooming("75", after: "225"), zooming("100", after: "400"),
    // An image on its way back into its tile, an image under a finger that drags it down, and a page that turns, each in
    // the middle.
    DemoMoment(
      name: "closing-50", screen: "grid", size: small, options: tiles,
      script: opened + ["key escape", "advance 140 ms"]),
    DemoMoment(
      name: "dragged-down", screen: "grid", size: small, options: tiles,
      script: opened + ["press 106 40", "move 106 60", "move 106 80", "advance 50 ms"]),
    DemoMoment(
      name: "page-50", screen: "grid", size: small, options: tiles,
      script: opened + ["key right", "advance 130 ms"]),
    // An image of another shape than the screen, the first half of a dissolve, and an image of the screen's shape in the
    // middle of its movement.
    DemoMoment(
      name: "slideshow-backdrop", screen: "slideshow", size: (240, 320),
      options: "--scale 0.5 --caption none",
      script: still),
    DemoMoment(
      name: "slideshow-dissolving", screen: "slideshow", size: (320, 200),
      script: still + ["key right", "advance 400 ms"]),
    DemoMoment(
      name: "slideshow-moving", screen: "slideshow", size: (320, 200), options: "--caption none",
      script: still + ["key right", "wait idle", "key right", "wait idle", "advance 3000 ms"]),
    DemoMoment(name: "grid-turned", screen: "grid", size: small, options: tiles + " --rotate 90 --scale 1.5"),
  ]

  private nonisolated static func opening(_ percent: String, after milliseconds: String) -> DemoMoment {
    DemoMoment(
      name: "opening-\(percent)", screen: "grid", size: small, options: tiles,
      script: ["clock manual", "wait idle", "tap 100 80", "wait loaded", "advance \(milliseconds) ms"])
  }

  private nonisolated static func zooming(_ percent: String, after milliseconds: String) -> DemoMoment {
    DemoMoment(
      name: "zooming-\(percent)", screen: "grid", size: small, options: tiles,
      script: [
        "clock manual", "wait idle", "tap 100 80", "wait idle", "tap 150 40", "tap 150 40",
        "advance \(milliseconds) ms", "wait loaded",
      ])
  }

  // With a manual clock, the time of day stands still, and no processor time is shown.
  private nonisolated static let still = ["clock manual", "wait idle"]
  private nonisolated static let opened = still + ["tap 100 80", "wait idle"]
  // The header has two rows at 800 points of width, and one row at 1280.
  private nonisolated static let header = Rect(x: 0, y: 0, width: 800, height: 112)
  private nonisolated static let rows = Rect(x: 0, y: 112, width: 800, height: 192)
  private nonisolated static let wide = (1104, 776)
  private nonisolated static let wideHeader = Rect(x: 0, y: 0, width: 1280, height: 64)
  private nonisolated static let cards = (1104, 680)
  private nonisolated static let small = (212, 112)
  private nonisolated static let tiles = "--chrome off --tile 64x48 --gap 4"
  private nonisolated static func card(_ column: Int) -> Rect {
    Rect(x: 24 + 360 * Double(column), y: 24, width: 336, height: 304)
  }

  @Test(arguments: cases)
  func screenLooksAsExpected(_ moment: DemoMoment) async throws {
    try expect(try await moment.screenshot(), looksLike: "demo-\(moment.name)", tolerance: .text)
  }
}
