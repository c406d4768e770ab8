import CSDL
import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

struct InputTranslatorTests {
  private var translator = InputTranslator(size: Size(width: 200, height: 100), scale: 2)

  private func event(_ type: SDL_EventType, _ fill: (inout SDL_Event) -> Void = { _ in }) -> SDL_Event {
    var event = SDL_Event()
    event.type = type.rawValue
    fill(&event)
    event.type = type.rawValue
    return event
  }

  private func mouse(_ type: SDL_EventType, _ x: Int32, _ y: Int32, button: Int32 = SDL_BUTTON_LEFT)
    -> SDL_Event
  {
    event(type) {
      $0.button.button = UInt8(button)
      $0.button.x = x
      $0.button.y = y
    }
  }

  private func finger(_ type: SDL_EventType, device: Int64 = 7, _ finger: Int64, _ x: Float, _ y: Float)
    -> SDL_Event
  {
    event(type) {
      $0.tfinger.touchId = device
      $0.tfinger.fingerId = finger
      $0.tfinger.x = x
      $0.tfinger.y = y
    }
  }

  private func key(_ code: SDL_KeyCode, modifiers: SDL_Keymod = KMOD_NONE, repeats: Bool = false) -> SDL_Event
  {
    event(SDL_KEYDOWN) {
      $0.key.state = UInt8(SDL_PRESSED)
      $0.key.repeat = repeats ? 1 : 0
      $0.key.keysym.sym = SDL_Keycode(bitPattern: code.rawValue)
      $0.key.keysym.mod = UInt16(modifiers.rawValue)
    }
  }

  private func touch(_ id: Int64, _ phase: TouchPhase, _ x: Double, _ y: Double) -> [HostEvent] {
    [.input(.touch(id: id, phase: phase, location: Point(x: x, y: y)))]
  }

  @Test mutating func mouseMoveShowsTheCursorAndATouchHidesIt() {
    translator.ownsCursor = true
    let moved = event(SDL_MOUSEMOTION) { $0.motion.xrel = -1 }

    #expect(translator.translate(event(SDL_MOUSEMOTION)) == [], "a motion event without movement")
    #expect(translator.translate(mouse(SDL_MOUSEBUTTONUP, 0, 0)) == [])
    #expect(translator.translate(moved) == [.cursor(true)])
    #expect(translator.translate(moved) == [])
    #expect(
      translator.translate(finger(SDL_FINGERDOWN, 1, 0.5, 0.5)) == [.cursor(false)]
        + touch(0, .began, 100, 50))
    #expect(translator.translate(finger(SDL_FINGERUP, 1, 0.5, 0.5)) == touch(0, .ended, 100, 50))
    #expect(translator.translate(moved) == [.cursor(true)])
  }

  @Test mutating func cursorIsUnchangedOnADesktop() {
    #expect(translator.translate(event(SDL_MOUSEMOTION)) == [])
    #expect(translator.translate(finger(SDL_FINGERDOWN, 1, 0.5, 0.5)) == touch(0, .began, 100, 50))
  }

  @Test mutating func leftMouseButtonIsATouchInPoints() {
    var motion = event(SDL_MOUSEMOTION)
    motion.motion.x = 30
    motion.motion.y = 20
    let translated = translator.translate(motion)
    #expect(translated == [], "no button is down")

    #expect(
      translator.translate(mouse(SDL_MOUSEBUTTONDOWN, 20, 10)) == touch(InputEvent.mouse, .began, 10, 5))
    #expect(translator.hasTouches)
    #expect(translator.translate(motion) == touch(InputEvent.mouse, .moved, 15, 10))
    #expect(translator.translate(mouse(SDL_MOUSEBUTTONUP, 30, 20)) == touch(InputEvent.mouse, .ended, 15, 10))
    #expect(translator.translate(motion) == [])
    #expect(!translator.hasTouches)
  }

  @Test mutating func rightMouseButtonIsNotATouch() {
    #expect(translator.translate(mouse(SDL_MOUSEBUTTONDOWN, 1, 1, button: SDL_BUTTON_RIGHT)) == [])
    #expect(translator.translate(mouse(SDL_MOUSEBUTTONUP, 1, 1)) == [], "button up without button down")
  }

  @Test mutating func fingerPositionsAreScaledToPointsAndNumbered() {
    #expect(translator.translate(finger(SDL_FINGERDOWN, 40, 0.5, 0.5)) == touch(0, .began, 100, 50))
    #expect(translator.translate(finger(SDL_FINGERDOWN, 41, 0, 1)) == touch(1, .began, 0, 99.5))
    #expect(translator.translate(finger(SDL_FINGERDOWN, device: 8, 40, 1, 0)) == touch(2, .began, 199.5, 0))
    #expect(translator.translate(finger(SDL_FINGERMOTION, 41, 0.25, 0.5)) == touch(1, .moved, 50, 50))
    #expect(translator.translate(finger(SDL_FINGERUP, 40, 0.5, 0.5)) == touch(0, .ended, 100, 50))
    #expect(translator.translate(finger(SDL_FINGERMOTION, 40, 0, 0)) == [], "the finger is up")
    #expect(translator.translate(finger(SDL_FINGERDOWN, 99, 0, 0)) == touch(0, .began, 0, 0), "reused number")
  }

  /// The panel's pixel that shows the top left pixel of the upright 200x100 points; 2 pixels per point.
  private nonisolated static let topLeft: [(Rotation, x: Int32, y: Int32)] = [
    (.none, 0, 0), (.quarter, 199, 0), (.half, 399, 199), (.threeQuarters, 0, 399),
  ]
  private nonisolated static let bottomRight: [(Rotation, x: Int32, y: Int32)] = [
    (.none, 399, 199), (.quarter, 0, 399), (.half, 0, 0), (.threeQuarters, 199, 0),
  ]

  @Test(arguments: topLeft) mutating func mouseOnARotatedPanelReachesTheTopLeftPixel(
    rotation: Rotation, x: Int32, y: Int32
  ) {
    translator = InputTranslator(size: Size(width: 200, height: 100), scale: 2, rotation: rotation)

    #expect(translator.translate(mouse(SDL_MOUSEBUTTONDOWN, x, y)) == touch(InputEvent.mouse, .began, 0, 0))
  }

  @Test(arguments: bottomRight) mutating func mouseOnARotatedPanelReachesTheBottomRightPixel(
    rotation: Rotation, x: Int32, y: Int32
  ) {
    translator = InputTranslator(size: Size(width: 200, height: 100), scale: 2, rotation: rotation)

    #expect(
      translator.translate(mouse(SDL_MOUSEBUTTONDOWN, x, y)) == touch(InputEvent.mouse, .began, 199.5, 99.5))
  }

  @Test(arguments: [
    (Rotation.none, Float(0.25), Float(0.5)), (.quarter, 0.5, 0.25), (.half, 0.75, 0.5),
    (.threeQuarters, 0.5, 0.75),
  ])
  mutating func fingerOnARotatedPanelIsMappedToTheUprightWindow(rotation: Rotation, x: Float, y: Float) {
    translator = InputTranslator(size: Size(width: 200, height: 100), scale: 2, rotation: rotation)

    #expect(translator.translate(finger(SDL_FINGERDOWN, 1, x, y)) == touch(0, .began, 50, 50))
  }

  @Test(arguments: Rotation.allCases, [Float(0), 1])
  mutating func fingerAtTheEdgeOfARotatedPanelIsInsideTheWindow(rotation: Rotation, edge: Float) {
    let bounds = Rect(x: 0, y: 0, width: 200, height: 100)
    translator = InputTranslator(size: bounds.size, scale: 2, rotation: rotation)

    for other in [Float(0), 1] {
      let events = translator.translate(finger(SDL_FINGERDOWN, Int64(other), edge, other))
      guard case .input(.touch(_, _, let location)) = events.first else {
        Issue.record("\(events)")
        return
      }
      #expect(bounds.contains(location))
    }
  }

  @Test(arguments: Rotation.allCases)
  mutating func wheelOverARotatedPanelScrollsTheUprightWindow(rotation: Rotation) throws {
    translator = InputTranslator(size: Size(width: 200, height: 100), scale: 2, rotation: rotation)
    let corner = try #require(Self.topLeft.first { $0.0 == rotation })
    let wheel = event(SDL_MOUSEWHEEL) {
      $0.wheel.preciseX = 3
      $0.wheel.preciseY = 2
      $0.wheel.mouseX = corner.1
      $0.wheel.mouseY = corner.2
    }

    #expect(translator.translate(wheel) == [.input(.wheel(location: .zero, deltaX: 3, deltaY: 2))])
  }

  @Test mutating func fingerWithTheIdOfTheMouseIsNotTheMouse() {
    #expect(translator.translate(finger(SDL_FINGERDOWN, InputEvent.mouse, 0, 0)) == touch(0, .began, 0, 0))
  }

  @Test mutating func lostFocusCancelsTouchesOnce() {
    _ = translator.translate(mouse(SDL_MOUSEBUTTONDOWN, 20, 10))
    _ = translator.translate(finger(SDL_FINGERDOWN, 40, 0.5, 0.5))
    let lost = event(SDL_WINDOWEVENT) { $0.window.event = UInt8(SDL_WINDOWEVENT_FOCUS_LOST.rawValue) }

    let cancelled = translator.translate(lost)

    #expect(cancelled == touch(InputEvent.mouse, .cancelled, 10, 5) + touch(0, .cancelled, 100, 50))
    #expect(translator.translate(lost) == [])
    #expect(translator.translate(mouse(SDL_MOUSEBUTTONUP, 20, 10)) == [])
  }

  @Test mutating func wheelEventsHaveFractionalDeltasAndALocation() {
    let wheel = event(SDL_MOUSEWHEEL) {
      $0.wheel.preciseX = 0.25
      $0.wheel.preciseY = -1.5
      $0.wheel.mouseX = 40
      $0.wheel.mouseY = 60
    }

    #expect(
      translator.translate(wheel)
        == [.input(.wheel(location: Point(x: 20, y: 30), deltaX: 0.25, deltaY: -1.5))])
    #expect(translator.translate(event(SDL_MOUSEWHEEL)) == [])
  }

  @Test mutating func wheelEventsHaveTheModifiersOfTheKeyboard() {
    translator.modifiers = .control
    let wheel = event(SDL_MOUSEWHEEL) { $0.wheel.preciseY = 1 }

    #expect(
      translator.translate(wheel)
        == [.input(.wheel(location: .zero, deltaX: 0, deltaY: 1, modifiers: .control))])
  }

  @Test(arguments: [
    (SDLK_UP, Key.up), (SDLK_PAGEDOWN, .pageDown), (SDLK_RETURN, .enter), (SDLK_KP_ENTER, .enter),
    (SDLK_ESCAPE, .escape), (SDLK_AC_BACK, .escape), (SDLK_F1, .function(1)), (SDLK_F12, .function(12)),
    (SDLK_a, .character("a")), (SDLK_7, .character("7")), (SDLK_SPACE, .space), (SDLK_TAB, .tab),
  ])
  mutating func keyCodesAreTranslated(code: SDL_KeyCode, expected: Key) {
    #expect(translator.translate(key(code)) == [.input(.keyDown(expected, modifiers: []))])
  }

  @Test mutating func unknownKeysAreIgnored() {
    #expect(translator.translate(key(SDLK_LSHIFT)) == [])
    #expect(translator.translate(key(SDLK_UNKNOWN)) == [])
    #expect(translator.translate(key(SDLK_DELETE)) == [])
  }

  @Test mutating func onlyMovementKeysRepeat() {
    #expect(translator.translate(key(SDLK_DOWN, repeats: true)).count == 1)
    #expect(translator.translate(key(SDLK_RETURN, repeats: true)) == [])
  }

  @Test mutating func leftAndRightModifiersCount() {
    let pressed = translator.translate(key(SDLK_TAB, modifiers: KMOD_RSHIFT))
    #expect(pressed == [.input(.keyDown(.tab, modifiers: .shift))])
    #expect(
      translator.translate(key(SDLK_c, modifiers: KMOD_LCTRL))
        == [.input(.keyDown(.character("c"), modifiers: .control))])
  }

  @Test mutating func controlCQuitsWhereTheTerminalSendsNoSignal() {
    translator.quitsOnControlC = true
    #expect(translator.translate(key(SDLK_c, modifiers: KMOD_LCTRL)) == [.quit])
    #expect(translator.translate(key(SDLK_c)) == [.input(.keyDown(.character("c"), modifiers: []))])
  }

  @Test(arguments: [
    (SDL_WINDOWEVENT_EXPOSED, HostEvent.redraw), (SDL_WINDOWEVENT_SIZE_CHANGED, .resized),
    (SDL_WINDOWEVENT_RESTORED, .visible(true)), (SDL_WINDOWEVENT_MINIMIZED, .visible(false)),
    (SDL_WINDOWEVENT_CLOSE, .quit),
  ])
  mutating func windowEventsAreTranslated(id: SDL_WindowEventID, expected: HostEvent) {
    let event = event(SDL_WINDOWEVENT) { $0.window.event = UInt8(id.rawValue) }

    #expect(translator.translate(event) == [expected])
  }
}

extension SDLTests {
  struct InputTests {
    private func push(_ type: SDL_EventType, _ fill: (inout SDL_Event) -> Void) {
      var event = SDL_Event()
      fill(&event)
      event.type = type.rawValue
      SDL_PushEvent(&event)
    }

    @Test func injectedTouchReachesTheView() throws {
      let test = try TestHost()
      let inside = Point(x: 5, y: 5)

      test.host.inject(.touch(id: 3, phase: .began, location: inside))
      test.host.inject(.touch(id: 3, phase: .moved, location: inside))
      test.host.inject(.touch(id: 3, phase: .ended, location: inside))

      #expect(test.view.touches == [.began, .moved, .ended])
    }

    @Test func deviceEventsReachTheView() throws {
      let test = try TestHost()
      test.frame()
      push(SDL_MOUSEBUTTONDOWN) {
        $0.button.button = UInt8(SDL_BUTTON_LEFT)
        $0.button.x = 5
        $0.button.y = 5
      }
      push(SDL_WINDOWEVENT) { $0.window.event = UInt8(SDL_WINDOWEVENT_FOCUS_LOST.rawValue) }

      test.frame()

      #expect(test.view.touches == [.began, .cancelled])
    }

    @Test func escapeQuitsUnlessDisabled() throws {
      let test = try TestHost()
      test.host.quitsOnEscape = false
      test.host.inject(.keyDown(.escape, modifiers: []))
      #expect(!test.host.isQuitting)

      test.host.quitsOnEscape = true
      test.host.inject(.keyDown(.enter, modifiers: []))
      #expect(!test.host.isQuitting)
      test.host.inject(.keyDown(.escape, modifiers: []))
      #expect(test.host.isQuitting)
    }

    @Test func closingTheWindowQuits() throws {
      let test = try TestHost()
      push(SDL_QUIT) { _ in }

      test.host.turn(waitUpTo: 0)

      #expect(test.host.isQuitting)
    }

    @Test func windowResizeResizesTheViewTree() throws {
      let test = try TestHost()
      test.window.backgroundColor = .pureGreen
      test.frame()

      SDL_SetWindowSize(test.host.video.window, 50, 20)
      test.drawUntilClean()

      #expect(test.window.frame.size == Size(width: 50, height: 20))
      let image = test.host.screenshot()
      #expect(image.width == 50 && image.height == 20)
      #expect(image.color(x: 49, y: 19) == .pureGreen)
    }

    @Test func hiddenWindowIsNotDrawnUntilItIsShown() throws {
      let test = try TestHost()
      test.frame()
      push(SDL_WINDOWEVENT) { $0.window.event = UInt8(SDL_WINDOWEVENT_HIDDEN.rawValue) }
      test.frame()
      test.draw { $0.fill(Rect(x: 0, y: 0, width: 40, height: 30), color: .pureRed) }
      test.frame()
      #expect(test.host.frameStatistics.presented == 1)
      #expect(!test.window.isDirty, "a dirty window would keep the loop awake")

      push(SDL_WINDOWEVENT) { $0.window.event = UInt8(SDL_WINDOWEVENT_SHOWN.rawValue) }
      test.drawUntilClean()

      #expect(test.pixel(3, 3) == .pureRed)
    }
  }
}
