import CSDL
import Glibc

/// The game controllers that are plugged in, opened so that SDL tells what they do.
///
/// SDL reads them while it is asked for events, without waiting, and the loop sleeps on their descriptors as on those
/// of the other input devices, so a controller that nobody touches wakes nobody.
@MainActor
final class Gamepads {
  private var open: [Int32: OpaquePointer] = [:]

  /// Starts SDL's subsystem; nil where it does not start, which leaves the program without controllers.
  init?() {
    // SDL's own drivers for some controllers read beside the kernel's and would have to be polled.
    SDL_SetHint(SDL_HINT_JOYSTICK_HIDAPI, "0")
    SDL_SetHint("SDL_HIDAPI_JOYSTICK_DISABLE_UDEV", "1")
    // Where no udev runs, nobody would tell of a controller that is plugged in; then SDL watches the folder itself.
    if access("/run/udev/control", F_OK) != 0 { SDL_SetHint("SDL_JOYSTICK_DISABLE_UDEV", "1") }
    guard SDL_InitSubSystem(SDL_INIT_GAMECONTROLLER) == 0 else { return nil }
  }

  /// Opens the controller at a place among the devices, as SDL says that it is there.
  func add(device: Int32) {
    guard let gamepad = SDL_GameControllerOpen(device) else { return }
    let identifier = SDL_JoystickInstanceID(SDL_GameControllerGetJoystick(gamepad))
    // SDL counts how often it is opened.
    if open.updateValue(gamepad, forKey: identifier) != nil { SDL_GameControllerClose(gamepad) }
  }

  /// Closes one that was unplugged.
  func remove(_ identifier: Int32) {
    guard let gamepad = open.removeValue(forKey: identifier) else { return }
    SDL_GameControllerClose(gamepad)
  }

  /// Closes them all; `SDL_Quit` does the rest.
  func close() {
    for gamepad in open.values { SDL_GameControllerClose(gamepad) }
    open.removeAll()
  }

  /// How many are open.
  var count: Int { open.count }
}
