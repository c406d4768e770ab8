import CSDL
import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

/// Edge cases of joysticks, touches and the texture cache.
struct InputAndCacheEdgeTests {
  @Test(arguments: [
    (SDL_CONTROLLER_AXIS_LEFTX, 1.0, Key.right), (SDL_CONTROLLER_AXIS_LEFTX, -1, .left),
    (SDL_CONTROLLER_AXIS_LEFTY, 1, .down), (SDL_CONTROLLER_AXIS_LEFTY, -1, .up),
  ])
  func stickHasHysteresisInEachDirection(
    axis: SDL_GameControllerAxis, sign: Double, key: Key
  ) {
    var keys = GamepadKeys()
    func push(_ fraction: Double) -> [InputEvent] {
      keys.axis(UInt8(axis.rawValue), value: Int16(sign * fraction * 32767), of: 0)
    }

    #expect(push(0.45) == [])
    #expect(push(0.6) == [.keyDown(key, modifiers: [])])
    #expect(push(0.4) == [])
    #expect(push(0.3) == [.keyUp(key, modifiers: [])])
  }

  @Test func reconnectedGamepadStartsWithACenteredStick() {
    var keys = GamepadKeys()
    let x = UInt8(SDL_CONTROLLER_AXIS_LEFTX.rawValue)
    let y = UInt8(SDL_CONTROLLER_AXIS_LEFTY.rawValue)
    #expect(keys.axis(x, value: 30_000, of: 3) == [.keyDown(.right, modifiers: [])])
    #expect(keys.remove(3) == [.keyUp(.right, modifiers: [])])

    #expect(keys.axis(y, value: 100, of: 3) == [])
    #expect(keys.repeating == nil)
  }

  @Test func fingerNumbersRestartAfterTouchesAreCancelled() {
    var translator = InputTranslator(size: Size(width: 100, height: 100), scale: 1)
    func down(_ finger: Int64) -> [HostEvent] {
      var event = SDL_Event()
      event.tfinger.type = SDL_FINGERDOWN.rawValue
      event.tfinger.touchId = 1
      event.tfinger.fingerId = finger
      event.tfinger.x = 0.5
      event.tfinger.y = 0.5
      return translator.translate(event)
    }
    let location = Point(x: 50, y: 50)
    #expect(down(11) == [.input(.touch(id: 0, phase: .began, location: location))])
    #expect(down(12) == [.input(.touch(id: 1, phase: .began, location: location))])
    #expect(translator.cancelTouches().count == 2)

    #expect(down(13) == [.input(.touch(id: 0, phase: .began, location: location))])
  }

  @Test func valueReadInAFrameIsNotEvictedByAnInsertInThatFrame() {
    var cache = LRUCache<String, Int>(limit: 10)
    cache.insert(1, for: "a", cost: 10, stamp: 1)
    #expect(cache.value(for: "a", stamp: 2) == 1)

    #expect(!cache.hasSpace(for: 1, stamp: 2))
    #expect(cache.insert(2, for: "b", cost: 10, stamp: 2) == ["b"])
    #expect(cache.value(for: "a", stamp: 2) == 1)
  }

  @Test(arguments: [0, -1, Int.min]) func releasingZeroOrNegativeBytesRemovesNothing(bytes: Int) {
    var cache = LRUCache<String, Int>(limit: 10)
    cache.insert(1, for: "a", cost: 4, stamp: 1)

    #expect(cache.removeOldest(bytes, stamp: 5) { _ in false }.isEmpty)
    #expect(cache.removeOldest(.max, stamp: 5) { _ in false } == ["a"])
  }

  @Test func releaseSkipsKeptValues() {
    var cache = LRUCache<String, Int>(limit: 100)
    for (stamp, key) in ["a", "b", "c", "d"].enumerated() {
      cache.insert(1, for: key, cost: 10, stamp: stamp)
    }

    let removed = cache.removeOldest(20, stamp: 9) { $0 == "a" || $0 == "c" }

    #expect(removed == ["b", "d"])
    #expect(cache.cost == 20)
    #expect(cache.value(for: "a", stamp: 9) == 1)
    #expect(cache.insert(2, for: "e", cost: 90, stamp: 10) == ["c"])
  }
}
