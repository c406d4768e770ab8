import FoundationEssentials
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// A slideshow that fills the window of a slot bench, without transitions.
@MainActor
final class SlideshowBench {
  let slots: SlotBench
  let view = SlideshowView()
  /// The indices of the slides that were shown.
  private(set) var shown: [Int] = []
  private(set) var failures: [ImageError] = []

  var window: Window { slots.window }
  var transport: FakeTransport { slots.transport }

  init(disk: (any ImageDataCache)? = nil) {
    slots = SlotBench(disk: disk)
    view.frame = window.bounds
    view.downloader = slots.downloader
    view.transition = .none
    view.onShow = { [unowned self] _, index in shown.append(index) }
    view.onFailure = { [unowned self] _, _, error in failures.append(error) }
  }

  nonisolated static func slides(_ count: Int) -> Slides {
    Slides(count: count) { Slide("http://a.test/\($0)", title: "Slide \($0)") }
  }

  nonisolated static let photo = FakeDecoder.encodedImage(width: 800, height: 600)
  nonisolated static let portrait = FakeDecoder.encodedImage(
    width: 300, height: 600, color: Color(hex: 0xFF0000))

  /// Responds to all transfers with a photo that fills the view, or with a failure for the paths given.
  func respond(failing paths: Set<String> = []) {
    transport.respondToAll { transfer in
      if paths.contains(transfer.request.url.path) {
        transfer.fail(.status(404))
      } else {
        transfer.respond(with: Self.photo)
      }
    }
  }

  /// Begins a slideshow in the window, and waits until the first slide is shown and the next one is ready and uploaded.
  func begin(_ slides: Slides) async throws {
    respond()
    view.setSlides(slides)
    window.addSubview(view)
    try await until { !shown.isEmpty && !view.isPreparing }
    draw()
    // The frame after the first one uploads the next slide.
    window.update(at: window.now)
  }

  /// Waits until the next slide is ready, then runs frames until a time.
  func run(until end: Double) async throws {
    try await until { !view.isPreparing }
    slots.run(until: end)
  }

  /// Draws what has changed, as a host does. Returns true if there was something to draw.
  @discardableResult
  func draw() -> Bool {
    window.update(at: window.now)
    let isDirty = window.isDirty
    for rect in window.takeDirtyRects() { _ = window.drawList(for: rect) }
    return isDirty
  }

  /// The images that the window draws now.
  var images: [DrawList.ImageCommand] { slots.images }
}
