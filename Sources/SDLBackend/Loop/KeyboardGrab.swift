import CSDL
import Glibc

/// Keeps what is typed for the window from the console behind it.
///
/// SDL would mute the console instead, which then stays mute when the program is killed, and also where no input may
/// be read. The kernel ends a grab with the process, however that ends; and a console where nothing can be grabbed
/// goes on taking keys, Ctrl-C among them.
nonisolated enum KeyboardGrab {
  /// Tells SDL to leave the console as it is; before its initialisation.
  static func keepConsoleAwake() { setenv("SDL_INPUT_LINUX_KEEP_KBD", "1", 1) }

  /// Grabs an input device if the console would take keys from it.
  static func take(_ device: Int32) {
    if isKeyboard(device) { _ = ioctl(device, vitrine_grab_request, 1) }
  }

  /// Whether a device can type a line. Others, as a power button, are left to those who wait for them.
  private static func isKeyboard(_ device: Int32) -> Bool {
    var keys = [UInt8](repeating: 0, count: vitrine_keys_byte_count)
    guard ioctl(device, vitrine_keys_request, &keys) >= 0 else { return false }
    return [KEY_ENTER, KEY_KPENTER].contains { keys[Int($0) / 8] & 1 << UInt8($0 % 8) != 0 }
  }
}
