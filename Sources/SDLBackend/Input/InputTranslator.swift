import CSDL
import VitrineGraphics
import VitrineWidgets

/// What an event of SDL means for a host.
nonisolated enum HostEvent: Hashable {
  case input(InputEvent)
  /// The window's content has to be shown again.
  case redraw
  /// Whatever was uploaded is gone, and the content has to be shown again.
  case texturesLost
  /// The window has another size.
  case resized
  /// Whether the window can be seen at all.
  case visible(Bool)
  /// Whether the mouse's cursor should be seen.
  case cursor(Bool)
  /// A game controller was plugged in, at this place among the devices.
  case gamepadAdded(device: Int32)
  /// One was unplugged.
  case gamepadRemoved(Int32)
  case quit
}

/// Makes input of SDL's events, which come as the panel has them, upright or not. It knows which fingers are down,
/// whether the mouse button is, and what was used last.
nonisolated struct InputTranslator {
  /// Of the upright picture, in points: fingers come as shares of it.
  var size: Size
  /// Pixels to a point.
  var scale: Double
  /// How far the picture is turned on the panel.
  let rotation: Rotation
  /// Whether Ctrl-C is a key like others and nobody else makes a signal of it, as on a console whose keyboard is grabbed.
  var quitsOnControlC = false
  /// Whether there is no desktop that shows the mouse's cursor.
  var ownsCursor = false

  private struct Finger: Hashable {
    let device: Int64
    let finger: Int64
  }

  private var fingers: [Finger: Int64] = [:]
  /// Where each touch is that has not ended.
  private var touches: [Int64: Point] = [:]
  private var isCursorVisible = false
  private var gamepads = GamepadKeys()

  init(size: Size, scale: Double, rotation: Rotation = .none) {
    self.size = size
    self.scale = scale
    self.rotation = rotation
  }

  /// Whether a key is down that repeats while it is.
  private(set) var hasRepeatingKey = false
  /// The arrow of a gamepad that is held down: nobody but the host lets it come again.
  var repeatingStroke: GamepadKeys.Stroke? { gamepads.repeating }
  /// Whether a finger or the mouse button is down.
  var hasTouches: Bool { !touches.isEmpty }

  mutating func translate(_ event: SDL_Event) -> [HostEvent] { cursor(event) + meaning(event) }

  /// A panel has no cursor until a mouse moves, and none any more once a finger has touched it.
  private mutating func cursor(_ event: SDL_Event) -> [HostEvent] {
    guard ownsCursor else { return [] }
    let wasVisible = isCursorVisible
    switch SDL_EventType(rawValue: event.type) {
    // SDL itself says where the mouse is when the window opens; then it has not moved.
    case SDL_MOUSEMOTION where event.motion.xrel != 0 || event.motion.yrel != 0: isCursorVisible = true
    case SDL_FINGERDOWN: isCursorVisible = false
    default: break
    }
    return isCursorVisible == wasVisible ? [] : [.cursor(isCursorVisible)]
  }

  private mutating func meaning(_ event: SDL_Event) -> [HostEvent] {
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

  /// Takes all touches back, as when the window loses the focus.
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

  /// The top left corner of a pixel of the panel, or of what is the top left one once it is turned back.
  private func point(_ x: Int32, _ y: Int32) -> Point {
    if rotation == .none { return Point(x: Double(x) / scale, y: Double(y) / scale) }
    let middle = Point(x: (Double(x) + 0.5) / scale, y: (Double(y) + 0.5) / scale)
    return rotation.upright(middle, of: size) - Point(x: 0.5 / scale, y: 0.5 / scale)
  }

  /// Moves and ends count only for what has begun.
  private mutating func touch(_ id: Int64, _ phase: TouchPhase, _ location: Point) -> [HostEvent] {
    guard phase == .began || touches[id] != nil else { return [] }
    touches[id] = phase == .ended ? nil : location
    return [.input(.touch(id: id, phase: phase, location: location))]
  }

  private mutating func finger(_ event: SDL_TouchFingerEvent, _ phase: TouchPhase) -> [HostEvent] {
    // Two panels may number their fingers alike, and SDL's numbers may be those of the mouse.
    let finger = Finger(device: event.touchId, finger: event.fingerId)
    let panel = rotation.turned(size)
    let place = Point(x: Double(event.x) * panel.width, y: Double(event.y) * panel.height)
    let upright = rotation.upright(place, of: size)
    // A whole share is the far edge, which belongs to no view, but the finger is on the last pixel.
    let location = Point(
      x: min(upright.x, size.width - 1 / scale), y: min(upright.y, size.height - 1 / scale))
    if phase == .began, fingers[finger] == nil {
      fingers[finger] = (0...Int64(fingers.count)).first { !fingers.values.contains($0) }
    }
    guard let id = fingers[finger] else { return [] }
    if phase == .ended { fingers[finger] = nil }
    return touch(id, phase, location)
  }

  /// A wheel scrolls the upright picture on a turned panel too: nobody turns the mouse. `SDL_MOUSEWHEEL_FLIPPED` is left
  /// as it comes: it says that the user has asked for it.
  private func wheel(_ event: SDL_MouseWheelEvent) -> [HostEvent] {
    let deltaX = Double(event.preciseX)
    let deltaY = Double(event.preciseY)
    guard deltaX != 0 || deltaY != 0 else { return [] }
    return [.input(.wheel(location: point(event.mouseX, event.mouseY), deltaX: deltaX, deltaY: deltaY))]
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
