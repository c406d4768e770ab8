/// The video drivers to try, determined before SDL starts: SDL's own choice falls back to `offscreen` silently, and
/// picks the wrong card on a machine with several.
struct VideoDriverChoice: Hashable {
  /// SDL's names of the drivers in lower case, in the order of the attempts.
  private(set) var names: [String]
  /// The number of the KMSDRM card, as in /dev/dri/card0; `nil` leaves the choice to SDL.
  let card: Int?
  /// The path of a device that is needed but may not be opened; otherwise `nil`.
  let inaccessibleDevice: String?
  private let isRequested: Bool
  /// True if `wayland` is not in `names` because its compositor has no seat.
  private var isSeatMissing = false
  /// The reasons why display servers cannot be reached, for an error message.
  private let serverFailures: [String]

  /// - Parameters:
  ///   - requested: The driver that the program requests; `nil` for any driver with a screen.
  ///   - environment: Returns the value of an environment variable. Empty values count as not set.
  init(requested: String?, environment: (String) -> String?, devices: ScreenDevices) {
    func variable(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    card = devices.connectedCard
    let servers = [
      "x11": variable("DISPLAY").map { "no X server responds at \($0)" } ?? "DISPLAY is not set",
      "wayland": variable("XDG_RUNTIME_DIR").map {
        "no Wayland compositor responds at \(variable("WAYLAND_DISPLAY") ?? "wayland-0") in \($0)"
      } ?? "XDG_RUNTIME_DIR is not set",
    ]
    if let requestedNames = requested ?? variable("SDL_VIDEODRIVER") {
      names = requestedNames.lowercased().split(separator: ",").map(String.init)
      inaccessibleDevice = names.contains("kmsdrm") ? devices.inaccessibleDevice : nil
      isRequested = true
      serverFailures = names.compactMap { servers[$0] }
      return
    }
    var names: [String] = []
    if variable("WAYLAND_DISPLAY") != nil { names.append("wayland") }
    if variable("DISPLAY") != nil { names.append("x11") }
    if devices.connectedCard != nil { names.append("kmsdrm") }
    self.names = names
    serverFailures = names.compactMap { servers[$0] }
    inaccessibleDevice = names == ["kmsdrm"] ? devices.inaccessibleDevice : nil
    isRequested = false
  }

  /// Removes the driver `wayland`, because SDL would crash on a compositor without a seat.
  mutating func removeWaylandWithoutSeat() {
    names.removeAll { $0 == "wayland" }
    isSeatMissing = true
  }

  /// Returns the error for the case that no driver could be opened. `message` is SDL's message.
  func error(message: String) -> SDLHostError {
    if isSeatMissing, names.isEmpty { return .noSeat }
    if let inaccessibleDevice { return .noPermission(path: inaccessibleDevice) }
    // SDL's message does not say more about a display server that cannot be reached.
    let message =
      message.hasSuffix("not available") && !serverFailures.isEmpty
      ? serverFailures.joined(separator: ", ") : message
    if isRequested { return .video(driver: names.joined(separator: ","), message: message) }
    return .noScreen(message: message)
  }
}
