import FoundationEssentials
import Glibc
import Testing

@testable import VitrineSDLBackend

struct VideoDriverChoiceTests {
  private func choice(
    _ requested: String? = nil, _ environment: [String: String] = [:],
    _ devices: ScreenDevices = ScreenDevices()
  ) -> VideoDriverChoice {
    VideoDriverChoice(requested: requested, environment: { environment[$0] }, devices: devices)
  }

  @Test func missingScreenDoesNotFallBackToOffscreen() {
    #expect(choice().names == [])
    #expect(choice(nil, ["DISPLAY": ""]).names == [])
    guard case .noScreen = choice().error(message: "") else {
      Issue.record("\(choice().error(message: ""))")
      return
    }
    #expect(choice().error(message: "").description.contains("SDL_VIDEODRIVER=offscreen"))
  }

  @Test func displayServersArePreferredToKMSDRM() {
    let devices = ScreenDevices(connectedCard: 1)

    #expect(choice(nil, ["DISPLAY": ":0"], devices).names == ["x11", "kmsdrm"])
    #expect(choice(nil, ["WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"]).names == ["wayland", "x11"])
    #expect(choice(nil, [:], devices).names == ["kmsdrm"])
    #expect(choice(nil, [:], devices).card == 1)
  }

  @Test func requestedDriverOverridesTheEnvironment() {
    #expect(choice("KMSDRM", ["DISPLAY": ":0"]).names == ["kmsdrm"])
    #expect(choice(nil, ["SDL_VIDEODRIVER": "offscreen"]).names == ["offscreen"])
    #expect(choice("x11", ["SDL_VIDEODRIVER": "offscreen"]).names == ["x11"])
  }

  @Test func errorNamesTheDeviceWithoutPermission() {
    let devices = ScreenDevices(connectedCard: 0, inaccessibleDevice: "/dev/dri/card0")

    #expect(choice(nil, [:], devices).error(message: "m") == .noPermission(path: "/dev/dri/card0"))
    #expect(choice("kmsdrm", [:], devices).error(message: "m") == .noPermission(path: "/dev/dri/card0"))
    #expect(choice("x11", [:], devices).error(message: "m") == .video(driver: "x11", message: "m"))
  }

  @Test func compositorWithoutASeatIsSkipped() {
    var both = choice(nil, ["WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"])
    both.removeWaylandWithoutSeat()

    #expect(both.names == ["x11"])
    #expect(both.error(message: "m") == .noScreen(message: "m"))
  }

  @Test func compositorWithoutASeatIsAnErrorIfThereIsNoOtherDriver() {
    var only = choice("wayland", ["WAYLAND_DISPLAY": "wayland-0"])
    only.removeWaylandWithoutSeat()

    #expect(only.names.isEmpty)
    #expect(only.error(message: "") == .noSeat)
    #expect(SDLHostError.noSeat.description.contains("SDL before 2.30"))
  }
}

struct MissingServerTests {
  private func error(_ requested: String?, _ environment: [String: String]) -> SDLHostError {
    VideoDriverChoice(requested: requested, environment: { environment[$0] }, devices: ScreenDevices())
      .error(message: "x11 not available")
  }

  @Test func errorNamesTheServerThatDoesNotRespond() {
    #expect(error("x11", [:]) == .video(driver: "x11", message: "DISPLAY is not set"))
    #expect(error("x11", ["DISPLAY": ":7"]) == .video(driver: "x11", message: "no X server responds at :7"))
    #expect(
      error("wayland", ["XDG_RUNTIME_DIR": "/run/user/1"])
        == .video(driver: "wayland", message: "no Wayland compositor responds at wayland-0 in /run/user/1"))
    #expect(
      error(nil, ["WAYLAND_DISPLAY": "w", "DISPLAY": ":7"])
        == .noScreen(message: "XDG_RUNTIME_DIR is not set, no X server responds at :7"))
  }

  @Test func otherErrorsOfSDLAreKept() {
    let choice = VideoDriverChoice(requested: "x11", environment: { _ in ":7" }, devices: ScreenDevices())

    #expect(choice.error(message: "no memory") == .video(driver: "x11", message: "no memory"))
  }
}

struct ScreenDevicesTests {
  /// Calls `body` with a folder that imitates the root of a machine.
  private func withMachine(_ files: [String: String], _ body: (String) throws -> Void) throws {
    let root = "/tmp/vitrine-devices-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: root) }
    for (path, content) in files {
      let folder = root + "/" + path.split(separator: "/").dropLast().joined(separator: "/")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try content.write(toFile: root + "/" + path, atomically: false, encoding: .utf8)
    }
    try body(root)
  }

  @Test func cardWithAConnectedScreenIsChosen() throws {
    try withMachine([
      "sys/class/drm/card0-HDMI-A-1/status": "disconnected\n", "sys/class/drm/card0/status": "connected\n",
      "sys/class/drm/card1-HDMI-A-2/status": "connected\n", "sys/class/drm/card12-DP-1/status": "connected\n",
      "sys/class/drm/version": "drm", "dev/dri/card1": "", "dev/input/event0": "",
    ]) { root in
      let devices = ScreenDevices(root: root)

      #expect(devices.connectedCard == 1)
      #expect(devices.inaccessibleDevice == nil)
      #expect(devices.warnings == [])
    }
  }

  @Test func machineWithoutDevicesHasAWarning() throws {
    let devices = ScreenDevices(root: "/nowhere")

    #expect(devices.connectedCard == nil)
    #expect(devices.inaccessibleDevice == nil)
    #expect(devices.warnings.count == 1)
  }

  @Test func cardWithoutADeviceFileIsForbidden() throws {
    try withMachine(["sys/class/drm/card0-eDP-1/status": "connected"]) { root in
      #expect(ScreenDevices(root: root).inaccessibleDevice == root + "/dev/dri/card0")
    }
  }
}
