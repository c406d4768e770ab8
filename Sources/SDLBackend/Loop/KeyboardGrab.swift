import CSDL
import Glibc

/// Keeps keys that are typed for the window away from the console.
///
/// SDL would mute the console instead. The console then stays mute when the program is killed, and also if no input
/// device may be read. The kernel ends a grab with the process, however it ends. If nothing can be grabbed, the console
/// still receives keys, including Ctrl-C.
enum KeyboardGrab {
  /// Tells SDL not to mute the console. Must be called before SDL is initialized.
  static func keepConsoleAwake() { setenv("SDL_INPUT_LINUX_KEEP_KBD", "1", 1) }

  static func grabIfKeyboard(_ device: Int32) {
    if isKeyboard(device) { _ = ioctl(device, vitrine_grab_request, 1) }
  }

  /// Returns true if a device has an Enter key. Other devices, such as power buttons, stay available to other programs.
  private static func isKeyboard(_ device: Int32) -> Bool {
    var keys = [UInt8](repeating: 0, count: vitrine_keys_byte_count)
    guard ioctl(device, vitrine_keys_request, &keys) >= 0 else { return false }
    return [KEY_ENTER, KEY_KPENTER].contains { keys[Int($0) / 8] & 1 << UInt8($0 % 8) != 0 }
  }
}
