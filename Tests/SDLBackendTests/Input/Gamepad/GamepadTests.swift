import CSDL
import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

struct GamepadKeysTests {
  private var keys = GamepadKeys()

  private func down(_ key: Key, _ modifiers: KeyModifiers = []) -> InputEvent {
    .keyDown(key, modifiers: modifiers)
  }
  private func up(_ key: Key, _ modifiers: KeyModifiers = []) -> InputEvent {
    .keyUp(key, modifiers: modifiers)
  }

  private mutating func press(_ button: SDL_GameControllerButton, _ isDown: Bool = true, of pad: Int32 = 0)
    -> [InputEvent]
  {
    keys.button(UInt8(button.rawValue), isDown: isDown, of: pad)
  }

  private mutating func push(_ axis: SDL_GameControllerAxis, _ fraction: Double, of pad: Int32 = 0)
    -> [InputEvent]
  {
    keys.axis(UInt8(axis.rawValue), value: Int16(fraction * 32767), of: pad)
  }

  @Test mutating func gamepadButtonsPressKeys() {
    let meanings: [(SDL_GameControllerButton, Key, KeyModifiers)] = [
      (SDL_CONTROLLER_BUTTON_DPAD_UP, .up, []), (SDL_CONTROLLER_BUTTON_DPAD_DOWN, .down, []),
      (SDL_CONTROLLER_BUTTON_DPAD_LEFT, .left, []), (SDL_CONTROLLER_BUTTON_DPAD_RIGHT, .right, []),
      (SDL_CONTROLLER_BUTTON_A, .enter, []), (SDL_CONTROLLER_BUTTON_B, .escape, []),
      (SDL_CONTROLLER_BUTTON_X, .space, []), (SDL_CONTROLLER_BUTTON_LEFTSHOULDER, .tab, .shift),
      (SDL_CONTROLLER_BUTTON_RIGHTSHOULDER, .tab, []), (SDL_CONTROLLER_BUTTON_Y, .enter, .shift),
    ]
    for (button, key, modifiers) in meanings {
      #expect(press(button) == [down(key, modifiers)])
      #expect(press(button, false) == [up(key, modifiers)])
    }
    #expect(press(SDL_CONTROLLER_BUTTON_GUIDE) == [])
    #expect(press(SDL_CONTROLLER_BUTTON_GUIDE, false) == [])
  }

  @Test mutating func triggersPressMinusAndPlusWithHysteresis() {
    #expect(push(SDL_CONTROLLER_AXIS_TRIGGERRIGHT, 0.49) == [])
    #expect(push(SDL_CONTROLLER_AXIS_TRIGGERRIGHT, 0.6) == [down(.character("+"))])
    #expect(push(SDL_CONTROLLER_AXIS_TRIGGERLEFT, 1) == [down(.character("-"))])
    #expect(push(SDL_CONTROLLER_AXIS_TRIGGERRIGHT, 0.4) == [])
    #expect(push(SDL_CONTROLLER_AXIS_TRIGGERRIGHT, 0.3) == [up(.character("+"))])
    #expect(keys.repeating == nil)
    #expect(keys.remove(0) == [up(.character("-"))])
  }

  @Test mutating func stickPressesArrowsWithHysteresis() {
    #expect(push(SDL_CONTROLLER_AXIS_LEFTX, 0.49) == [])
    #expect(push(SDL_CONTROLLER_AXIS_LEFTX, 0.6) == [down(.right)])
    #expect(push(SDL_CONTROLLER_AXIS_LEFTX, 0.4) == [], "still above the release threshold")
    #expect(push(SDL_CONTROLLER_AXIS_LEFTX, 0.6) == [])
    #expect(push(SDL_CONTROLLER_AXIS_LEFTX, 0.3) == [up(.right)])
    #expect(push(SDL_CONTROLLER_AXIS_LEFTY, -1) == [down(.up)])
    #expect(push(SDL_CONTROLLER_AXIS_LEFTY, 1) == [up(.up), down(.down)])
    #expect(push(SDL_CONTROLLER_AXIS_RIGHTY, 1) == [], "another stick")
    #expect(
      keys.axis(UInt8(SDL_CONTROLLER_AXIS_LEFTY.rawValue), value: .min, of: 0) == [up(.down), down(.up)])
  }

  @Test mutating func stickPressesOneArrowAtATime() {
    #expect(push(SDL_CONTROLLER_AXIS_LEFTX, 0.8) == [down(.right)])
    #expect(push(SDL_CONTROLLER_AXIS_LEFTY, 0.9) == [], "a diagonal keeps the first arrow")
    #expect(push(SDL_CONTROLLER_AXIS_LEFTX, 0.5) == [up(.right), down(.down)])
  }

  @Test mutating func keyHeldByTwoGamepadsIsReleasedByTheLast() {
    #expect(press(SDL_CONTROLLER_BUTTON_DPAD_LEFT) == [down(.left)])
    #expect(press(SDL_CONTROLLER_BUTTON_DPAD_LEFT) == [])
    #expect(push(SDL_CONTROLLER_AXIS_LEFTX, -1, of: 1) == [])
    #expect(press(SDL_CONTROLLER_BUTTON_DPAD_LEFT, false) == [])
    #expect(push(SDL_CONTROLLER_AXIS_LEFTX, 0, of: 1) == [up(.left)])
    #expect(press(SDL_CONTROLLER_BUTTON_DPAD_LEFT, false) == [])
  }

  @Test mutating func unplugReleasesTheKeysOfAGamepad() {
    _ = press(SDL_CONTROLLER_BUTTON_A, of: 3)
    _ = push(SDL_CONTROLLER_AXIS_LEFTY, 1, of: 3)
    _ = press(SDL_CONTROLLER_BUTTON_B, of: 4)

    #expect(Set(keys.remove(3)) == [up(.enter), up(.down)])
    #expect(keys.remove(3) == [])
    #expect(keys.repeating == nil)
    #expect(press(SDL_CONTROLLER_BUTTON_B, false, of: 4) == [up(.escape)])
  }

  @Test mutating func onlyTheLastHeldArrowRepeats() {
    _ = press(SDL_CONTROLLER_BUTTON_A)
    #expect(keys.repeating == nil)
    _ = press(SDL_CONTROLLER_BUTTON_DPAD_LEFT)
    _ = press(SDL_CONTROLLER_BUTTON_DPAD_UP)
    #expect(keys.repeating?.key == .up)
    _ = press(SDL_CONTROLLER_BUTTON_DPAD_LEFT, false)
    #expect(keys.repeating?.key == .up)
    _ = press(SDL_CONTROLLER_BUTTON_DPAD_UP, false)

    #expect(keys.repeating == nil)
  }
}

extension SDLTests {
  /// A virtual game controller of SDL, plugged in while a host runs.
  struct GamepadHostTests {
    private final class Pressed: View {
      var keys: [String] = []
      override var takesUnclaimedKeys: Bool { true }
      override func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool {
        keys.append("\(key)")
        return true
      }
    }

    private func host() throws -> (SDLHost, Pressed) {
      var configuration = SDLHost.Configuration()
      configuration.videoDriver = "offscreen"
      configuration.size = Size(width: 64, height: 64)
      // An off-screen window never has the keyboard focus.
      SDL_SetHint(SDL_HINT_JOYSTICK_ALLOW_BACKGROUND_EVENTS, "1")
      let host = try SDLHost(configuration: configuration)
      let pressed = Pressed(frame: host.window.bounds)
      host.window.addSubview(pressed)
      return (host, pressed)
    }

    private func plugIn() -> Int32 {
      SDL_JoystickAttachVirtual(
        SDL_JOYSTICK_TYPE_GAMECONTROLLER, Int32(SDL_CONTROLLER_AXIS_MAX.rawValue),
        Int32(SDL_CONTROLLER_BUTTON_MAX.rawValue), 0)
    }

    @Test func offScreenHostReadsNoGamepads() throws {
      let (host, _) = try host()
      defer { host.close() }

      #expect(host.gamepads == nil)
      #expect(SDL_WasInit(SDL_INIT_GAMECONTROLLER) == 0)
    }

    @Test func pluggedInGamepadPressesKeys() throws {
      let (host, pressed) = try host()
      defer { host.close() }
      host.readGamepads()
      host.readGamepads()
      host.turn(waitUpTo: 0)
      #expect(host.gamepads?.count == 0)

      let device = plugIn()
      host.turn(waitUpTo: 0)
      host.turn(waitUpTo: 0)
      #expect(host.gamepads?.count == 1)
      let joystick = try #require(SDL_JoystickOpen(device))
      defer { SDL_JoystickClose(joystick) }
      SDL_JoystickSetVirtualButton(joystick, Int32(SDL_CONTROLLER_BUTTON_A.rawValue), 1)
      host.turn(waitUpTo: 0)
      SDL_JoystickSetVirtualButton(joystick, Int32(SDL_CONTROLLER_BUTTON_A.rawValue), 0)
      SDL_JoystickSetVirtualAxis(joystick, Int32(SDL_CONTROLLER_AXIS_LEFTY.rawValue), 32767)
      host.turn(waitUpTo: 0)

      #expect(pressed.keys == ["enter", "down"])
      SDL_JoystickDetachVirtual(device)
      host.turn(waitUpTo: 0)
      #expect(host.gamepads?.count == 0)
    }

    @Test func injectedInputPressesKeysWithoutAController() throws {
      let (host, pressed) = try host()
      defer { host.close() }
      var time = 1.0
      host.clock = .manual { time }

      for button in GamepadButton.allCases {
        host.inject(gamepad: .button(button, isDown: true))
        host.inject(gamepad: .button(button, isDown: false))
      }
      // The shoulder buttons move the focus.
      #expect(pressed.keys.count == GamepadButton.allCases.count - 2)
      pressed.keys = []
      host.inject(gamepad: .stick(x: 0.1, y: -0.9))
      time += 0.45
      host.turn(waitUpTo: 0)
      host.inject(gamepad: .stick(x: .nan, y: 0))
      host.inject(gamepad: .stick(x: 7, y: 0))
      host.inject(gamepad: .stick(x: 0, y: 0))

      #expect(pressed.keys == ["up", "up", "right"])
      #expect(host.window.nextDeadline == nil)
    }

    @Test func heldArrowRepeatsAndItsReleaseClearsTheDeadline() throws {
      let (host, pressed) = try host()
      defer { host.close() }
      var time = 1.0
      host.clock = .manual { time }
      host.readGamepads()
      let device = plugIn()
      host.turn(waitUpTo: 0)
      host.turn(waitUpTo: 0)
      let joystick = try #require(SDL_JoystickOpen(device))
      defer { SDL_JoystickClose(joystick) }
      let button = Int32(SDL_CONTROLLER_BUTTON_DPAD_DOWN.rawValue)
      SDL_JoystickSetVirtualButton(joystick, button, 1)
      host.turn(waitUpTo: 0)
      #expect(pressed.keys == ["down"])

      for passed in [0.3, 0.41, 0.45, 0.52] {
        time = 1 + passed
        // Jitter of a stick below the threshold must not end the repetition.
        let shake: Int16 = passed == 0.3 ? 2000 : 0
        SDL_JoystickSetVirtualAxis(joystick, Int32(SDL_CONTROLLER_AXIS_LEFTX.rawValue), shake)
        host.turn(waitUpTo: 0)
      }
      #expect(pressed.keys == ["down", "down", "down"])
      SDL_JoystickSetVirtualButton(joystick, button, 0)
      host.turn(waitUpTo: 0)

      #expect(host.window.nextDeadline == nil)
      SDL_JoystickDetachVirtual(device)
    }
  }
}
