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

  /// - Parameters:
  ///   - requested: by the program; nil for any with a screen.
  ///   - environment: looks up a variable; an empty one counts as not set.
  init(requested: String?, environment: (String) -> String?, devices: ScreenDevices) {
    func variable(_ name: String) -> String? {
      environment(name).flatMap { $0.isEmpty ? nil : $0 }
    }
    card = devices.connectedCard
    if let named = requested ?? variable("SDL_VIDEODRIVER") {
      names = named.lowercased().split(separator: ",").map(String.init)
      forbidden = names.contains("kmsdrm") ? devices.forbidden : nil
      isChosen = true
      return
    }
    var names: [String] = []
    if variable("WAYLAND_DISPLAY") != nil { names.append("wayland") }
    if variable("DISPLAY") != nil { names.append("x11") }
    if devices.connectedCard != nil { names.append("kmsdrm") }
    self.names = names
    forbidden = names == ["kmsdrm"] ? devices.forbidden : nil
    isChosen = false
  }

  /// What to say when none of them could be opened.
  func error(message: String) -> SDLHostError {
    if let forbidden { return .noPermission(path: forbidden) }
    if isChosen { return .video(driver: names.joined(separator: ","), message: message) }
    return .noScreen(message: message)
  }
}
