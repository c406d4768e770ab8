import CSDL

/// An input of a game controller, which acts as a keyboard.
public enum GamepadInput: Hashable, Sendable {
  /// A button was pressed, or released.
  case button(GamepadButton, isDown: Bool)
  /// The left stick was moved to a position, -1…1 along both axes: right and down are positive, 0 is its middle.
  case stick(x: Double, y: Double)
}

/// A button of a game controller, named by its place on an Xbox controller.
public enum GamepadButton: String, Hashable, Sendable, CaseIterable {
  /// The D-pad: the arrow keys.
  case up, down, left, right
  /// The lower button: Enter.
  case a
  /// The right button: Escape.
  case b
  /// The left button: Space.
  case x
  /// The upper button: Shift-Enter, which selects a row of a list.
  case y
  /// The buttons at the upper edge: Shift-Tab and Tab.
  case leftShoulder, rightShoulder
  /// The triggers, which count as pressed beyond half of their way: minus and plus.
  case leftTrigger, rightTrigger
}

extension GamepadInput {
  /// The events with which SDL reports the input of a controller.
  var events: [SDL_Event] {
    switch self {
    case .button(.leftTrigger, let isDown): [Self.axis(SDL_CONTROLLER_AXIS_TRIGGERLEFT, isDown ? 1 : 0)]
    case .button(.rightTrigger, let isDown): [Self.axis(SDL_CONTROLLER_AXIS_TRIGGERRIGHT, isDown ? 1 : 0)]
    case .button(let button, let isDown): [Self.event(of: button, isDown)]
    case .stick(let x, let y):
      [Self.axis(SDL_CONTROLLER_AXIS_LEFTX, x), Self.axis(SDL_CONTROLLER_AXIS_LEFTY, y)]
    }
  }

  /// The identifier of a controller that SDL does not know. SDL counts from 0.
  private static let identifier: Int32 = -1

  private static func event(of button: GamepadButton, _ isDown: Bool) -> SDL_Event {
    var event = SDL_Event()
    event.cbutton.type = (isDown ? SDL_CONTROLLERBUTTONDOWN : SDL_CONTROLLERBUTTONUP).rawValue
    event.cbutton.which = identifier
    event.cbutton.button = UInt8(truncatingIfNeeded: button.sdlButton.rawValue)
    event.cbutton.state = UInt8(isDown ? SDL_PRESSED : SDL_RELEASED)
    return event
  }

  private static func axis(_ axis: SDL_GameControllerAxis, _ position: Double) -> SDL_Event {
    var event = SDL_Event()
    event.caxis.type = SDL_CONTROLLERAXISMOTION.rawValue
    event.caxis.which = identifier
    event.caxis.axis = UInt8(truncatingIfNeeded: axis.rawValue)
    event.caxis.value = Int16((position.isFinite ? min(1, max(-1, position)) : 0) * 32_767)
    return event
  }
}

extension GamepadButton {
  fileprivate var sdlButton: SDL_GameControllerButton {
    switch self {
    case .up: SDL_CONTROLLER_BUTTON_DPAD_UP
    case .down: SDL_CONTROLLER_BUTTON_DPAD_DOWN
    case .left: SDL_CONTROLLER_BUTTON_DPAD_LEFT
    case .right: SDL_CONTROLLER_BUTTON_DPAD_RIGHT
    case .a: SDL_CONTROLLER_BUTTON_A
    case .b: SDL_CONTROLLER_BUTTON_B
    case .x: SDL_CONTROLLER_BUTTON_X
    case .y: SDL_CONTROLLER_BUTTON_Y
    case .leftShoulder: SDL_CONTROLLER_BUTTON_LEFTSHOULDER
    case .rightShoulder: SDL_CONTROLLER_BUTTON_RIGHTSHOULDER
    // Triggers are axes.
    case .leftTrigger, .rightTrigger: SDL_CONTROLLER_BUTTON_INVALID
    }
  }
}
