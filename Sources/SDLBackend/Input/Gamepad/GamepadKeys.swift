import CSDL
import VitrineWidgets

/// Translates game controller input to keys: the D-pad and the left stick are arrow keys, A is Enter, B is Escape, X is
/// Space, Y is Shift-Enter, the shoulder buttons are Shift-Tab and Tab, and the triggers are minus and plus. A key that
/// several buttons hold down goes up with the last of them.
struct GamepadKeys {
  /// A key with modifiers.
  struct Stroke: Hashable {
    let key: Key
    var modifiers: KeyModifiers = []
  }

  private enum Part: Hashable {
    case button(UInt8)
    case stick
    case trigger(Key)
  }

  private struct Source: Hashable {
    let gamepad: Int32
    let part: Part
  }

  private var pressed: [Source: Stroke] = [:]
  private var sticks: [Int32: GamepadStick] = [:]
  /// The last pressed arrow key, while held down. The host repeats it.
  private(set) var repeating: Stroke?

  private static func stroke(for button: UInt8) -> Stroke? {
    switch SDL_GameControllerButton(rawValue: Int32(button)) {
    case SDL_CONTROLLER_BUTTON_DPAD_UP: Stroke(key: .up)
    case SDL_CONTROLLER_BUTTON_DPAD_DOWN: Stroke(key: .down)
    case SDL_CONTROLLER_BUTTON_DPAD_LEFT: Stroke(key: .left)
    case SDL_CONTROLLER_BUTTON_DPAD_RIGHT: Stroke(key: .right)
    case SDL_CONTROLLER_BUTTON_A: Stroke(key: .enter)
    case SDL_CONTROLLER_BUTTON_B: Stroke(key: .escape)
    case SDL_CONTROLLER_BUTTON_X: Stroke(key: .space)
    case SDL_CONTROLLER_BUTTON_Y: Stroke(key: .enter, modifiers: .shift)
    case SDL_CONTROLLER_BUTTON_LEFTSHOULDER: Stroke(key: .tab, modifiers: .shift)
    case SDL_CONTROLLER_BUTTON_RIGHTSHOULDER: Stroke(key: .tab)
    default: nil
    }
  }

  mutating func button(_ button: UInt8, isDown: Bool, of gamepad: Int32) -> [InputEvent] {
    guard let stroke = Self.stroke(for: button) else { return [] }
    return setStroke(isDown ? stroke : nil, of: Source(gamepad: gamepad, part: .button(button)))
  }

  /// Returns the events for a movement of an axis.
  ///
  /// - Parameter value: The position of the axis, from -32768 to 32767.
  mutating func axis(_ axis: UInt8, value: Int16, of gamepad: Int32) -> [InputEvent] {
    var stick = sticks[gamepad] ?? GamepadStick()
    switch SDL_GameControllerAxis(rawValue: Int32(axis)) {
    case SDL_CONTROLLER_AXIS_LEFTX: stick.x = Double(value) / 32768
    case SDL_CONTROLLER_AXIS_LEFTY: stick.y = Double(value) / 32768
    case SDL_CONTROLLER_AXIS_TRIGGERLEFT: return trigger(.character("-"), value: value, of: gamepad)
    case SDL_CONTROLLER_AXIS_TRIGGERRIGHT: return trigger(.character("+"), value: value, of: gamepad)
    default: return []
    }
    stick.update()
    sticks[gamepad] = stick
    return setStroke(stick.arrow.map { Stroke(key: $0) }, of: Source(gamepad: gamepad, part: .stick))
  }

  /// A trigger is pressed beyond half of its way, until it returns to a third, as a stick is.
  private mutating func trigger(_ key: Key, value: Int16, of gamepad: Int32) -> [InputEvent] {
    let source = Source(gamepad: gamepad, part: .trigger(key))
    let limit = pressed[source] == nil ? GamepadStick.pressThreshold : GamepadStick.releaseThreshold
    return setStroke(Double(value) / 32768 > limit ? Stroke(key: key) : nil, of: source)
  }

  /// Releases all keys that a disconnected gamepad held down.
  mutating func remove(_ gamepad: Int32) -> [InputEvent] {
    sticks[gamepad] = nil
    let sources = pressed.keys.filter { $0.gamepad == gamepad }
    return sources.flatMap { setStroke(nil, of: $0) }
  }

  private mutating func setStroke(_ stroke: Stroke?, of source: Source) -> [InputEvent] {
    let before = pressed[source]
    guard before != stroke else { return [] }
    pressed[source] = nil
    var events: [InputEvent] = []
    if let before, !pressed.values.contains(before) {
      events.append(.keyUp(before.key, modifiers: before.modifiers))
      if repeating == before { repeating = nil }
    }
    if let stroke {
      if !pressed.values.contains(stroke) { events.append(.keyDown(stroke.key, modifiers: stroke.modifiers)) }
      pressed[source] = stroke
      if stroke.key.repeats { repeating = stroke }
    }
    return events
  }
}

/// The arrow key for the position of a stick. The key goes down when the stick passes half of its range, and up when
/// the stick returns to a third or moves farther along the other axis. The difference keeps a trembling thumb from
/// pressing the key twice.
struct GamepadStick {
  /// The horizontal position, from -1 (left) to 1 (right).
  var x = 0.0
  /// The vertical position, from -1 (up) to 1 (down).
  var y = 0.0
  private(set) var arrow: Key?

  static let pressThreshold = 0.5
  static let releaseThreshold = 0.33

  mutating func update() {
    let isStillPressed: Bool =
      switch arrow {
      case .left: -x > Self.releaseThreshold && abs(y) < abs(x) + 0.2
      case .right: x > Self.releaseThreshold && abs(y) < abs(x) + 0.2
      case .up: -y > Self.releaseThreshold && abs(x) < abs(y) + 0.2
      case .down: y > Self.releaseThreshold && abs(x) < abs(y) + 0.2
      default: false
      }
    if isStillPressed { return }
    if max(abs(x), abs(y)) <= Self.pressThreshold {
      arrow = nil
    } else if abs(x) > abs(y) {
      arrow = x < 0 ? .left : .right
    } else {
      arrow = y < 0 ? .up : .down
    }
  }
}
