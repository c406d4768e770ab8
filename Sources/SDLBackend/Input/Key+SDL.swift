import CSDL
import VitrineWidgets

extension Key {
  /// Creates a key from SDL's keycode; `nil` for keys without a meaning to views.
  init?(keycode: SDL_Keycode) {
    switch SDL_KeyCode(rawValue: UInt32(bitPattern: keycode)) {
    case SDLK_UP: self = .up
    case SDLK_DOWN: self = .down
    case SDLK_LEFT: self = .left
    case SDLK_RIGHT: self = .right
    case SDLK_PAGEUP: self = .pageUp
    case SDLK_PAGEDOWN: self = .pageDown
    case SDLK_HOME: self = .home
    case SDLK_END: self = .end
    // Select and Back are keys of remote controls.
    case SDLK_RETURN, SDLK_KP_ENTER, SDLK_SELECT: self = .enter
    case SDLK_ESCAPE, SDLK_AC_BACK: self = .escape
    case SDLK_SPACE: self = .space
    case SDLK_TAB: self = .tab
    case SDLK_BACKSPACE: self = .backspace
    default:
      // A keycode is the character without modifiers, or a scancode with this bit set.
      let scancodeBit: SDL_Keycode = 1 << 30
      let f1 = SDL_Keycode(bitPattern: SDLK_F1.rawValue)
      if (f1..<(f1 + 12)).contains(keycode) {
        self = .function(Int(keycode - f1) + 1)
      } else if keycode > 32, keycode != 127, keycode & scancodeBit == 0,
        let scalar = Unicode.Scalar(UInt32(keycode))
      {
        self = .character(Character(scalar))
      } else {
        return nil
      }
    }
  }

  /// True if the key repeats while held down.
  var repeats: Bool {
    switch self {
    case .up, .down, .left, .right, .pageUp, .pageDown, .backspace: true
    default: false
    }
  }
}

extension KeyModifiers {
  init(keyboard state: UInt16) {
    func holds(_ modifiers: SDL_Keymod...) -> Bool {
      modifiers.contains { UInt32(state) & $0.rawValue != 0 }
    }
    self = []
    if holds(KMOD_LSHIFT, KMOD_RSHIFT) { insert(.shift) }
    if holds(KMOD_LCTRL, KMOD_RCTRL) { insert(.control) }
    if holds(KMOD_LALT, KMOD_RALT) { insert(.alt) }
  }
}
