import CSDL
import VitrineGraphics
import VitrineWidgets

/// An event of SDL, translated for a host.
enum HostEvent: Hashable {
  case input(InputEvent)
  /// The window's content must be drawn again.
  case redraw
  /// All textures are lost, and the window's content must be drawn again.
  case texturesLost
  /// The window's size has changed.
  case resized
  /// The window has become visible or invisible.
  case visible(Bool)
  /// The mouse cursor should be shown or hidden.
  case cursor(Bool)
  /// A game controller was connected. `device` is its index among SDL's devices.
  case gamepadAdded(device: Int32)
  /// A game controller was disconnected. The value is SDL's instance identifier.
  case gamepadRemoved(Int32)
  case quit
}

/// Translates SDL's events, which have panel coordinates, to input events with upright coordinates. Keeps track of the
/// touches and keys that are down.
struct InputTranslator {
  /// The size of the upright interface in points. Finger positions are fractions of it.
  var size: Size
  /// The number of pixels per point.
  var scale: Double
  /// The clockwise rotation of the interface on the panel.
  let rotation: Rotation
  /// True if Ctrl-C quits the program. Needed when the keyboard is grabbed from the console, which would otherwise turn
  /// Ctrl-C into a signal.
  var quitsOnControlC = false
  /// The modifier keys that are down, for turns of the wheel, which do not report them. Set by the host.
  var modifiers: KeyModifiers = []
  /// True if the host must show and hide the mouse cursor, because the window covers the whole screen.
  var ownsCursor = false

  private struct Finger: Hashable {
    let device: Int64
    let finger: Int64
  }

  private var fingers: [Finger: Int64] = [:]
  /// The last location of each touch that has not ended.
  private var touches: [Int64: Point] = [:]
  private var isCursorVisible = false
  private var gamepads = GamepadKeys()

  init(size: Size, scale: Double, rotation: Rotation = .none) {
    self.size = size
    self.scale = scale
    self.rotation = rotation
  }

  /// True while a repeating key is down.
  private(set) var hasRepeatingKey = false
  /// The arrow key that a gamepad holds down. The host must repeat it.
  var repeatingStroke: GamepadKeys.Stroke? { gamepads.repeating }
  /// True if a finger or the left mouse button is down.
  var hasTouches: Bool { !touches.isEmpty }

  mutating func translate(_ event: SDL_Event) -> [HostEvent] {
    cursorChange(for: event) + hostEvents(for: event)
  }

  /// Returns a change of the cursor's visibility, if there is one. Over a whole screen, the cursor appears when the mouse moves
  /// and disappears when a finger touches the screen.
  private mutating func cursorChange(for event: SDL_Event) -> [HostEvent] {
    guard ownsCursor else { return [] }
    let wasVisible = isCursorVisible
    switch SDL_EventType(rawValue: event.type) {
    // SDL reports the initial position of the mouse when the window opens, which is not a movement.
    case SDL_MOUSEMOTION where event.motion.xrel != 0 || event.motion.yrel != 0: isCursorVisible = true
    case SDL_FINGERDOWN: isCursorVisible = false
    default: break
    }
    return isCursorVisible == wasVisible ? [] : [.cursor(isCursorVisible)]
  }

  private mutating func hostEvents(for event: SDL_Event) -> [HostEvent] {
    switch SDL_EventType(rawValue: event.type) {
    case SDL_QUIT: return [.quit]
    case SDL_WINDOWEVENT: return translate(event.window)
    case SDL_RENDER_TARGETS_RESET: return [.redraw]
    case SDL_RENDER_DEVICE_RESET: return [.texturesLost]
    case SDL_MOUSEBUTTONDOWN where event.button.button == UInt8(SDL_BUTTON_LEFT):
      return touch(InputEvent.mouse, .began, point(event.button.x, event.button.y))
    case SDL_MOUSEBUTTONUP where event.button.button == UInt8(SDL_BUTTON_LEFT):
      return touch(InputEvent.mouse, .ended, point(event.button.x, event.button.y))
    case SDL_MOUSEMOTION: return touch(InputEvent.mouse, .moved, point(event.motion.x, event.motion.y))
    case SDL_MOUSEWHEEL: return wheel(event.wheel)
    case SDL_FINGERDOWN: return finger(event.tfinger, .began)
    case SDL_FINGERMOTION: return finger(event.tfinger, .moved)
    case SDL_FINGERUP: return finger(event.tfinger, .ended)
    case SDL_KEYDOWN, SDL_KEYUP: return key(event.key)
    case SDL_CONTROLLERDEVICEADDED: return [.gamepadAdded(device: event.cdevice.which)]
    case SDL_CONTROLLERDEVICEREMOVED:
      let identifier = event.cdevice.which
      return gamepads.remove(identifier).map { .input($0) } + [.gamepadRemoved(identifier)]
    case SDL_CONTROLLERBUTTONDOWN, SDL_CONTROLLERBUTTONUP:
      let isDown = event.cbutton.state == UInt8(SDL_PRESSED)
      return gamepads.button(event.cbutton.button, isDown: isDown, of: event.cbutton.which).map { .input($0) }
    case SDL_CONTROLLERAXISMOTION:
      return gamepads.axis(event.caxis.axis, value: event.caxis.value, of: event.caxis.which).map {
        .input($0)
      }
    default: return []
    }
  }

  /// Cancels all touches, as when the window loses the focus.
  mutating func cancelTouches() -> [HostEvent] {
    defer {
      touches.removeAll()
      fingers.removeAll()
    }
    return touches.sorted { $0.key < $1.key }.map { id, location in
      .input(.touch(id: id, phase: .cancelled, location: location))
    }
  }

  private mutating func translate(_ event: SDL_WindowEvent) -> [HostEvent] {
    switch SDL_WindowEventID(rawValue: UInt32(event.event)) {
    case SDL_WINDOWEVENT_EXPOSED: [.redraw]
    case SDL_WINDOWEVENT_SIZE_CHANGED: [.resized]
    case SDL_WINDOWEVENT_SHOWN, SDL_WINDOWEVENT_RESTORED, SDL_WINDOWEVENT_MAXIMIZED: [.visible(true)]
    case SDL_WINDOWEVENT_HIDDEN, SDL_WINDOWEVENT_MINIMIZED: [.visible(false)]
    case SDL_WINDOWEVENT_FOCUS_LOST: cancelTouches()
    case SDL_WINDOWEVENT_CLOSE: [.quit]
    default: []
    }
  }

  /// Returns the upright location of a panel pixel's corner that is the top left one after the rotation.
  private func point(_ x: Int32, _ y: Int32) -> Point {
    if rotation == .none { return Point(x: Double(x) / scale, y: Double(y) / scale) }
    let middle = Point(x: (Double(x) + 0.5) / scale, y: (Double(y) + 0.5) / scale)
    return rotation.upright(middle, of: size) - Point(x: 0.5 / scale, y: 0.5 / scale)
  }

  /// Returns a touch event. Moves and ends of touches that have not begun are ignored.
  private mutating func touch(_ id: Int64, _ phase: TouchPhase, _ location: Point) -> [HostEvent] {
    guard phase == .began || touches[id] != nil else { return [] }
    touches[id] = phase == .ended ? nil : location
    return [.input(.touch(id: id, phase: phase, location: location))]
  }

  private mutating func finger(_ event: SDL_TouchFingerEvent, _ phase: TouchPhase) -> [HostEvent] {
    // Two panels may use the same finger numbers, and SDL's numbers may equal the mouse's number.
    let finger = Finger(device: event.touchId, finger: event.fingerId)
    let panel = rotation.turned(size)
    let panelLocation = Point(x: Double(event.x) * panel.width, y: Double(event.y) * panel.height)
    let upright = rotation.upright(panelLocation, of: size)
    // A fraction of 1 is the far edge, which lies outside of all views, although the finger is on the last pixel.
    let location = Point(
      x: min(upright.x, size.width - 1 / scale), y: min(upright.y, size.height - 1 / scale))
    if phase == .began, fingers[finger] == nil {
      fingers[finger] = (0...Int64(fingers.count)).first { !fingers.values.contains($0) }
    }
    guard let id = fingers[finger] else { return [] }
    if phase == .ended { fingers[finger] = nil }
    return touch(id, phase, location)
  }

  /// Returns a wheel event. On a rotated panel, the wheel still scrolls in upright directions, because the mouse is not
  /// rotated. `SDL_MOUSEWHEEL_FLIPPED` is ignored: the user has requested that direction.
  private func wheel(_ event: SDL_MouseWheelEvent) -> [HostEvent] {
    let deltaX = Double(event.preciseX)
    let deltaY = Double(event.preciseY)
    guard deltaX != 0 || deltaY != 0 else { return [] }
    let location = point(event.mouseX, event.mouseY)
    return [.input(.wheel(location: location, deltaX: deltaX, deltaY: deltaY, modifiers: modifiers))]
  }

  private mutating func key(_ event: SDL_KeyboardEvent) -> [HostEvent] {
    guard let key = Key(keycode: event.keysym.sym) else { return [] }
    hasRepeatingKey = key.repeats && event.state == UInt8(SDL_PRESSED)
    let modifiers = KeyModifiers(keyboard: event.keysym.mod)
    guard event.state == UInt8(SDL_PRESSED) else { return [.input(.keyUp(key, modifiers: modifiers))] }
    if event.repeat != 0, !key.repeats { return [] }
    if quitsOnControlC, key == .character("c"), modifiers == .control { return [.quit] }
    return [.input(.keyDown(key, modifiers: modifiers))]
  }
}
