import Testing
import VitrineGraphics
import VitrineSDLBackend
import VitrineWidgets

@testable import VitrineDemo

struct OptionsTests {
  @Test func optionsHaveDefaults() throws {
    let options = try Options(arguments: [])

    #expect(options.screen == "home")
    #expect(options.size == Size(width: 1280, height: 800))
    #expect(options.tile == nil, "the tiles follow from the width of the window")
    #expect(options.gap == 8)
    #expect(options.chrome)
    #expect(options.video == nil)
    #expect(options.feed == nil)
  }

  @Test func valueMayFollowAfterASpaceOrAnEqualsSign() throws {
    #expect(try Options(arguments: ["--size", "640x480"]).size == Size(width: 640, height: 480))
    #expect(try Options(arguments: ["--size=640X480"]).size == Size(width: 640, height: 480))
  }

  @Test func tileGapAndChromeOptionsAreRead() throws {
    let options = try Options(arguments: [
      "--screen=grid", "--tile", "64X48", "--gap", "0", "--chrome", "OFF",
    ])

    #expect(options.screen == "grid")
    #expect(options.tile == Size(width: 64, height: 48))
    #expect(options.gap == 0)
    #expect(!options.chrome)
    #expect(try Options(arguments: ["--gap", "2.5"]).gap == 2.5)
  }

  @Test func refreshIsAnIntervalInMinutes() throws {
    #expect(try Options(arguments: []).refresh == 15)
    #expect(try Options(arguments: ["--refresh", "0"]).refresh == 0)
    #expect(try Options(arguments: ["--refresh=2.5"]).refresh == 2.5)
  }

  @Test func rotationAndScaleDefaultToNoneAndOne() throws {
    let options = try Options(arguments: ["--rotate", "270", "--scale=1.25"])

    #expect(try Options(arguments: []).rotation == .none)
    #expect(try Options(arguments: []).scale == 1)
    #expect(options.rotation == .threeQuarters)
    #expect(options.scale == 1.25)
  }

  @Test func fullScreenIsAnOption() throws {
    #expect(try !Options(arguments: []).isFullScreen)
    #expect(try Options(arguments: ["--fullscreen"]).isFullScreen)
  }

  @Test func offlineIsAnOption() throws {
    #expect(try !Options(arguments: []).isOffline)
    #expect(try Options(arguments: ["--offline"]).isOffline)
  }

  @Test func firstFrameWaitIsInMilliseconds() throws {
    #expect(try Options(arguments: []).firstFrameWait == nil)
    #expect(try Options(arguments: ["--first-frame-wait", "200"]).firstFrameWait == 200)
    #expect(throws: Options.UsageError.self) { try Options(arguments: ["--first-frame-wait", "-1"]) }
  }

  @Test func autoVideoNamesNoDriver() throws {
    #expect(try Options(arguments: ["--video", "auto"]).video == nil)
    #expect(try Options(arguments: ["--video", "OFFSCREEN"]).video == "offscreen")
  }
}

struct ScriptTests {
  @Test func commandsCommentsAndQuotedTitlesAreRead() throws {
    let script = try Script(
      """
      # a comment
      wait idle 5   # another
      wait 20 ms

      tap 1 2.5
      drag 1 2 3 4 500
      hold 7 8
      pinch 5 6 100 50 250
      key +
      key shift++
      expect "Aurora # 1" state loaded
      key shift+tab
      wait loaded
      wait loaded 2
      wait for "Aurora # 1"
      wait for Aurora 5
      clock manual
      advance 125 ms
      touch 3 4
      wheel 1 2 -3
      wheel 1 2 0.5 ctrl
      pad leftShoulder
      stick -0.5 1
      tap on "Aurora # 1"
      wheel on List -3 ctrl
      """)

    #expect(
      script.lines == [
        .init(number: 2, command: .waitIdle(seconds: 5)),
        .init(number: 3, command: .wait(seconds: 0.02)),
        .init(number: 5, command: .tap(.point(Point(x: 1, y: 2.5)))),
        .init(number: 6, command: .drag(from: Point(x: 1, y: 2), to: Point(x: 3, y: 4), seconds: 0.5)),
        .init(number: 7, command: .hold(.point(Point(x: 7, y: 8)))),
        .init(number: 8, command: .pinch(.point(Point(x: 5, y: 6)), from: 100, to: 50, seconds: 0.25)),
        .init(number: 9, command: .key(.character("+"), [])),
        .init(number: 10, command: .key(.character("+"), .shift)),
        .init(number: 11, command: .expect(title: "Aurora # 1", .state("loaded"))),
        .init(number: 12, command: .key(.tab, .shift)),
        .init(number: 13, command: .waitLoaded(seconds: 30)),
        .init(number: 14, command: .waitLoaded(seconds: 2)),
        .init(number: 15, command: .waitFor(title: "Aurora # 1", seconds: 30)),
        .init(number: 16, command: .waitFor(title: "Aurora", seconds: 5)),
        .init(number: 17, command: .manualClock),
        .init(number: 18, command: .advance(seconds: 0.125)),
        .init(number: 19, command: .touch(.point(Point(x: 3, y: 4)))),
        .init(number: 20, command: .wheel(.point(Point(x: 1, y: 2)), steps: -3, [])),
        .init(number: 21, command: .wheel(.point(Point(x: 1, y: 2)), steps: 0.5, .control)),
        .init(number: 22, command: .pad(.leftShoulder)),
        .init(number: 23, command: .stick(x: -0.5, y: 1)),
        .init(number: 24, command: .tap(.view("Aurora # 1"))),
        .init(number: 25, command: .wheel(.view("List"), steps: -3, .control)),
      ])
  }

  @Test func byteOrderMarkIsIgnored() throws {
    #expect(try Script("\u{FEFF}quit").lines == [.init(number: 1, command: .quit)])
  }

  @Test(arguments: [
    ("advance", "milliseconds is missing"), ("advance 125", "the unit is missing"),
    ("advance 1 s", "none of ms"), ("advance -1 ms", "no time"), ("advance nan ms", "is no number"),
    ("advance inf ms", "is no number"), ("advance 1e9 ms", "by 3600000 ms at most"),
    ("wait 1e9 ms", "by 3600000 ms at most"), ("drag 1 2 3 4 1e9", "by 3600000 ms at most"),
    ("clock", "the clock is missing"), ("clock real", "none of manual"), ("clock manual 1", "too much"),
  ])
  func errorOfAManualClockScriptNamesItsLine(line: String, message: String) {
    let error = #expect(throws: Script.SyntaxError.self) { try Script("clock manual\n" + line) }

    #expect(error?.line == 2)
    #expect(error?.message.contains(message) == true)
  }

  @Test func longWaitsAreAllowedInRealTime() throws {
    #expect(try Script("wait 1e9 ms").lines.first?.command == .wait(seconds: 1e6))
  }

  @Test(arguments: [
    ("wait for", "a title is missing"), ("wait for A -1", "no time"), ("wait for A 1 2", "too much"),
    ("advance 5 ms", "needs “clock manual” before it"), ("wait loaded -1", "no time"),
    ("tap 1", "y is missing"), ("tap on", "a title is missing"), ("hold on A 1", "too much"),
    ("tap a 2", "is no number"), ("wait 5 s", "none of ms"),
    ("expect \"A state loaded", "a quote is not closed"), ("release now", "too much"),
    ("screen girds", "none of home, list, grid, buttons"), ("key f13", "unknown key"),
    ("jump", "unknown command"),
    ("expect A state happy", "none of normal"), ("wait -1 ms", "no time"), ("wait idle -1", "no time"),
    ("drag 1 2 3 4 -5", "no time"), ("tap 1e10 2", "too large"), ("tap 1 -1e300", "too large"),
    ("wheel 1 2 1e308", "too large"), ("wheel 1 2 3 cmd", "unknown modifier"),
    ("wheel 1 2 3 ctrl 4", "too much"), ("pad z", "none of up, down"), ("stick 1", "y is missing"),
    ("wait 1e10 ms", "too large"), ("wait idle 1e300", "too large"),
    ("drag 1 2 3 4 1e300", "too large"), ("tap 99999999999999999999 1", "too large"),
  ])
  func errorNamesTheLineOfTheScript(line: String, message: String) {
    let error = #expect(throws: Script.SyntaxError.self) { try Script("\n" + line) }

    #expect(error?.line == 2)
    #expect(error?.message.contains(message) == true)
  }
}
