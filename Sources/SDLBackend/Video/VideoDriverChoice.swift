/// Which video drivers to try, found out before SDL is asked: left to itself, SDL falls back to `offscreen` without
/// a word and takes the wrong card of several.
nonisolated struct VideoDriverChoice: Hashable {
  /// In the order they are tried; SDL's names, in lower case.
  let names: [String]
  /// The card of KMSDRM, as in /dev/dri/card0; nil leaves it to SDL.
  let card: Int?
  /// A device that would have to be opened and may not be.
  let forbidden: String?
  private let isChosen: Bool
  /// Which display servers were looked for, in plain words.
  private let lookedFor: [String]

  /// - Parameters:
  ///   - requested: by the program; nil for any with a screen.
  ///   - environment: looks up a variable; an empty one counts as not set.
  init(requested: String?, environment: (String) -> String?, devices: ScreenDevices) {
    func variable(_ name: String) -> String? {
      environment(name).flatMap { $0.isEmpty ? nil : $0 }
    }
    card = devices.connectedCard
    let servers = [
      "x11": variable("DISPLAY").map { "no X server answers at \($0)" } ?? "DISPLAY is not set",
      "wayland": variable("XDG_RUNTIME_DIR").map {
        "no Wayland compositor answers at \(variable("WAYLAND_DISPLAY") ?? "wayland-0") in \($0)"
      } ?? "XDG_RUNTIME_DIR is not set",
    ]
    if let named = requested ?? variable("SDL_VIDEODRIVER") {
      names = named.lowercased().split(separator: ",").map(String.init)
      forbidden = names.contains("kmsdrm") ? devices.forbidden : nil
      isChosen = true
      lookedFor = names.compactMap { servers[$0] }
      return
    }
    var names: [String] = []
    if variable("WAYLAND_DISPLAY") != nil { names.append("wayland") }
    if variable("DISPLAY") != nil { names.append("x11") }
    if devices.connectedCard != nil { names.append("kmsdrm") }
    self.names = names
    lookedFor = names.compactMap { servers[$0] }
    forbidden = names == ["kmsdrm"] ? devices.forbidden : nil
    isChosen = false
  }

  /// What to say when none of them could be opened, with what SDL said of it.
  func error(message: String) -> SDLHostError {
    if let forbidden { return .noPermission(path: forbidden) }
    // SDL says no more of a server that does not answer.
    let message =
      message.hasSuffix("not available") && !lookedFor.isEmpty ? lookedFor.joined(separator: ", ") : message
    if isChosen { return .video(driver: names.joined(separator: ","), message: message) }
    return .noScreen(message: message)
  }
}
