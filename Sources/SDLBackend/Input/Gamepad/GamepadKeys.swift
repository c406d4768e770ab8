import CSDL
import VitrineWidgets

/// Makes keys of game controllers: the D-pad and the left stick are arrows, A is Enter, B is Escape, and the shoulder
/// buttons are Tab and Shift-Tab. Where several hold one key down, it goes up with the last of them.
nonisolated struct GamepadKeys {
  /// A key, with what is held together with it.
  struct Stroke: Hashable {
    let key: Key
    var modifiers: KeyModifiers = []
  }

  private enum Part: Hashable {
    case button(UInt8)
    case stick
  }

  private struct Source: Hashable {
    let gamepad: Int32
    let part: Part
  }

  private var held: [Source: Stroke] = [:]
  private var sticks: [Int32: GamepadStick] = [:]
  /// The arrow that went down last and is still held: it comes again, as that of a keyboard.
  private(set) var repeating: Stroke?

  private static func stroke(for button: UInt8) -> Stroke? {
    switch SDL_GameControllerButton(rawValue: Int32(button)) {
    case SDL_CONTROLLER_BUTTON_DPAD_UP: Stroke(key: .up)
    case SDL_CONTROLLER_BUTTON_DPAD_DOWN: Stroke(key: .down)
    case SDL_CONTROLLER_BUTTON_DPAD_LEFT: Stroke(key: .left)
    case SDL_CONTROLLER_BUTTON_DPAD_RIGHT: Stroke(key: .right)
    case SDL_CONTROLLER_BUTTON_A: Stroke(key: .enter)
    case SDL_CONTROLLER_BUTTON_B: Stroke(key: .escape)
    case SDL_CONTROLLER_BUTTON_LEFTSHOULDER: Stroke(key: .tab, modifiers: .shift)
    case SDL_CONTROLLER_BUTTON_RIGHTSHOULDER: Stroke(key: .tab)
    default: nil
    }
  }

  mutating func button(_ button: UInt8, isDown: Bool, of gamepad: Int32) -> [InputEvent] {
    guard let stroke = Self.stroke(for: button) else { return [] }
    return hold(isDown ? stroke : nil, by: Source(gamepad: gamepad, part: .button(button)))
  }

  /// - Parameter value: of the axis, from -32768 to 32767.
  mutating func axis(_ axis: UInt8, value: Int16, of gamepad: Int32) -> [InputEvent] {
    var stick = sticks[gamepad] ?? GamepadStick()
    switch SDL_GameControllerAxis(rawValue: Int32(axis)) {
    case SDL_CONTROLLER_AXIS_LEFTX: stick.x = Double(value) / 32768
    case SDL_CONTROLLER_AXIS_LEFTY: stick.y = Double(value) / 32768
    default: return []
    }
    stick.update()
    sticks[gamepad] = stick
    return hold(stick.arrow.map { Stroke(key: $0) }, by: Source(gamepad: gamepad, part: .stick))
  }

  /// A gamepad that is gone holds nothing any more.
  mutating func remove(_ gamepad: Int32) -> [InputEvent] {
    sticks[gamepad] = nil
    let sources = held.keys.filter { $0.gamepad == gamepad }
    return sources.flatMap { hold(nil, by: $0) }
  }

  private mutating func hold(_ stroke: Stroke?, by source: Source) -> [InputEvent] {
    let before = held[source]
    guard before != stroke else { return [] }
    held[source] = nil
    var events: [InputEvent] = []
    if let before, !held.values.contains(before) {
      events.append(.keyUp(before.key, modifiers: before.modifiers))
      if repeating == before { repeating = nil }
    }
    if let stroke {
      if !held.values.contains(stroke) { events.append(.keyDown(stroke.key, modifiers: stroke.modifiers)) }
      held[source] = stroke
      if stroke.key.repeats { repeating = stroke }
    }
    return events
  }
}

/// Which arrow a stick stands for: pushed more than half way in a direction it is that arrow, until it has come back
/// to a third or the other axis has gone further, so that a trembling thumb presses once.
nonisolated struct GamepadStick {
  /// From -1 (left) to 1 (right).
  var x = 0.0
  /// From -1 (up) to 1 (down).
  var y = 0.0
  private(set) var arrow: Key?

  private static let press = 0.5
  private static let release = 0.33

  mutating func update() {
    let isKept: Bool =
      switch arrow {
      case .left: -x > Self.release && abs(y) < abs(x) + 0.2
      case .right: x > Self.release && abs(y) < abs(x) + 0.2
      case .up: -y > Self.release && abs(x) < abs(y) + 0.2
      case .down: y > Self.release && abs(x) < abs(y) + 0.2
      default: false
      }
    if isKept { return }
    if max(abs(x), abs(y)) <= Self.press {
      arrow = nil
    } else if abs(x) > abs(y) {
      arrow = x < 0 ? .left : .right
    } else {
      arrow = y < 0 ? .up : .down
    }
  }
}
