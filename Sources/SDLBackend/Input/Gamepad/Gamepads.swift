import CSDL
import Glibc

/// The connected game controllers. SDL sends events only for controllers that are open.
///
/// SDL reads the controllers without waiting while it is polled for events. The loop sleeps on their descriptors, as on
/// those of other input devices, so an unused controller causes no wake-ups.
@MainActor
final class Gamepads {
  private var openControllers: [Int32: OpaquePointer] = [:]

  /// Starts SDL's game controller subsystem. Returns `nil` if the subsystem fails to start; the program then runs
  /// without controllers.
  init?() {
    // SDL's own drivers for some controllers bypass the kernel's drivers and would have to be polled.
    SDL_SetHint(SDL_HINT_JOYSTICK_HIDAPI, "0")
    SDL_SetHint("SDL_HIDAPI_JOYSTICK_DISABLE_UDEV", "1")
    // Without udev, SDL must watch the folder itself to notice new controllers.
    if access("/run/udev/control", F_OK) != 0 { SDL_SetHint("SDL_JOYSTICK_DISABLE_UDEV", "1") }
    guard SDL_InitSubSystem(SDL_INIT_GAMECONTROLLER) == 0 else { return nil }
  }

  /// Opens a controller, given by an index among SDL's devices.
  func add(device: Int32) {
    guard let gamepad = SDL_GameControllerOpen(device) else { return }
    let identifier = SDL_JoystickInstanceID(SDL_GameControllerGetJoystick(gamepad))
    // SDL counts the number of times that a controller is opened.
    if openControllers.updateValue(gamepad, forKey: identifier) != nil { SDL_GameControllerClose(gamepad) }
  }

  /// Closes a disconnected controller.
  func remove(_ identifier: Int32) {
    guard let gamepad = openControllers.removeValue(forKey: identifier) else { return }
    SDL_GameControllerClose(gamepad)
  }

  /// Closes all controllers. `SDL_Quit` ends the subsystem.
  func close() {
    for gamepad in openControllers.values { SDL_GameControllerClose(gamepad) }
    openControllers.removeAll()
  }

  var count: Int { openControllers.count }
}
