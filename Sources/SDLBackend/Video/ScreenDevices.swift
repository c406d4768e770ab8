import Glibc

/// The machine's connected screen and input devices, as described by the kernel.
struct ScreenDevices: Hashable {
  /// The number of the first card with a connected screen, as in /dev/dri/card0.
  var connectedCard: Int?
  /// The path of the connected card's device if it may not be opened; otherwise `nil`.
  var inaccessibleDevice: String?
  /// Warnings for users of KMSDRM; empty if there are none.
  var warnings: [String] = []

  init(connectedCard: Int? = nil, inaccessibleDevice: String? = nil, warnings: [String] = []) {
    self.connectedCard = connectedCard
    self.inaccessibleDevice = inaccessibleDevice
    self.warnings = warnings
  }

  /// Reads the machine's devices. `root` is put before each path.
  init(root: String) {
    let connected = DeviceFiles.entries(root + "/sys/class/drm").filter { name in
      name.contains("-") && DeviceFiles.firstLine(root + "/sys/class/drm/\(name)/status") == "connected"
    }
    connectedCard = connected.compactMap(Self.cardNumber).min()
    if let connectedCard {
      let device = root + "/dev/dri/card\(connectedCard)"
      if access(device, R_OK | W_OK) != 0 { inaccessibleDevice = device }
    }
    let inputs = DeviceFiles.entries(root + "/dev/input").filter { $0.hasPrefix("event") }
    if inputs.isEmpty {
      warnings.append("no input devices in \(root)/dev/input: touch, mouse and keys will not work")
    } else if !inputs.contains(where: { access(root + "/dev/input/" + $0, R_OK) == 0 }) {
      warnings.append(
        "no device in \(root)/dev/input may be read: touch, mouse and keys will not work; "
          + "add the user to the group input")
    }
  }

  /// Returns the card number of a connector, such as 1 for `card1-HDMI-A-2`.
  private static func cardNumber(_ connector: String) -> Int? {
    guard connector.hasPrefix("card") else { return nil }
    return Int(connector.dropFirst(4).prefix { $0.isNumber })
  }
}
