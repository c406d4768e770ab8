import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// Returns a white image.
func makeImage(_ width: Int = 8, _ height: Int = 8, isOpaque: Bool = true) -> Image {
  Image(
    Bitmap(width: width, height: height, format: .rgba, isOpaque: isOpaque) { bytes, _ in
      bytes.initializeMemory(as: UInt8.self, repeating: 255)
    })
}

extension TestWindow {
  /// Creates a window with one view and draws its first frame.
  convenience init(_ view: View, size: Size = Size(width: 400, height: 300), scale: Double = 1) {
    self.init(size: size, scale: scale)
    window.addSubview(view)
    draw()
  }

  /// Creates a window with a white view that has a black subview, and draws its first frame.
  convenience init(white view: View, with child: View) {
    view.backgroundColor = .white
    child.backgroundColor = .black
    view.addSubview(child)
    self.init(view)
  }

  /// The draw commands without the background of the window.
  var commandsOfViews: [DrawList.Command] {
    let bounds = window.bounds
    return drawList.commands.filter { if case .fill(bounds, _, _) = $0 { false } else { true } }
  }

  /// Creates a window of 200x200 points with a scroll view, whose content is 2,000 points high and begins with a
  /// button.
  convenience init(scrolling scrollView: ScrollView, over button: Button) {
    scrollView.contentSize = Size(width: 200, height: 2000)
    scrollView.addSubview(button)
    self.init(scrollView, size: Size(width: 200, height: 200))
  }
}

/// Counts how often text is measured.
final class CountingMeasuring: TextMeasuring {
  private let base = MonospaceMeasuring()
  private(set) var count = 0

  func size(of text: String, font: Font) -> Size {
    count += 1
    return base.size(of: text, font: font)
  }
}
