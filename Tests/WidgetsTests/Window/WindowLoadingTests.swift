import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// The loads that a window knows of.
struct WindowLoadingTests {
  private let test = TestWindow(size: Size(width: 100, height: 100))

  private func view(_ frame: Rect) -> View {
    let view = View(frame: frame)
    test.window.addSubview(view)
    return view
  }

  @Test func newLoadsAreTakenOnce() {
    #expect(!test.window.takeNewLoads())

    test.window.loadDidBegin()
    test.window.loadDidBegin()

    #expect(test.window.takeNewLoads())
    #expect(!test.window.takeNewLoads())
  }

  @Test func onlyLoadsOfTheApplicationInVisibleViewsCount() {
    let slot = view(Rect(x: 0, y: 0, width: 10, height: 10))
    slot.pendingSlots = 1
    let outside = view(Rect(x: 200, y: 0, width: 10, height: 10))
    outside.beginLoading()
    #expect(!test.window.hasApplicationLoads)
    #expect(!test.window.isLoaded)

    slot.beginLoading()
    #expect(test.window.hasApplicationLoads)
    slot.isHidden = true
    #expect(!test.window.hasApplicationLoads)
    slot.isHidden = false
    slot.endLoading()

    #expect(!test.window.hasApplicationLoads)
  }

  @Test func windowOfATestIsNotInRealTime() { #expect(!test.window.isInRealTime) }
}
