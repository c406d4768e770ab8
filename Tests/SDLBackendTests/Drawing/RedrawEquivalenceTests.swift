import Glibc
import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

extension SDLTests {
  /// After random changes of a widget tree, a partial redraw gives the same pixels as a full redraw.
  struct RedrawEquivalenceTests {
    @Test(arguments: [(1, 0), (1, 1), (1.25, 2), (1.5, 0), (1.5, 1), (2, 3), (3, 4)] as [(Double, UInt64)])
    func partialRedrawEqualsFullRedraw(scale: Double, seed: UInt64) throws {
      let test = try TestHost(width: 240, height: 180) { $0.scale = scale }
      test.walkThroughChanges(seed: seed, steps: scale < 2 ? 60 : 20) { step, change in
        let partial = test.host.screenshot()
        test.redrawEverything()

        let difference = partial.firstDifference(from: test.host.screenshot())
        #expect(difference == nil, "step \(step), after \(change)")
        return difference == nil
      }
    }

    /// The same changes on an upright and on a rotated panel, redrawn in parts.
    @Test(arguments: [Rotation.quarter, .half, .threeQuarters], [1, 1.5])
    func rotatedPanelShowsTheUprightImageRotated(rotation: Rotation, scale: Double) throws {
      func images(_ rotation: Rotation) throws -> [Bitmap] {
        let test = try TestHost(width: 241, height: 180) {
          $0.scale = scale
          $0.rotation = rotation
        }
        #expect(test.window.frame.height == 180)
        var images: [Bitmap] = []
        test.walkThroughChanges(seed: 7, steps: 25) { _, _ in
          images.append(test.host.screenshot())
          return true
        }
        test.host.close()
        return images
      }

      for (step, pair) in zip(try images(.none), try images(rotation)).enumerated() {
        if let difference = pair.1.turnedBack(rotation).firstDifference(from: pair.0) {
          Issue.record("step \(step): \(difference)")
          return
        }
      }
    }
  }
}

extension TestHost {
  /// Shows widgets of every kind and changes one of them at random, step by step. The same seed makes the same
  /// changes.
  ///
  /// - Parameter body: Called after each change has been drawn. Returns false to stop.
  func walkThroughChanges(
    seed: UInt64, steps: Int, _ body: (_ step: Int, _ change: String) -> Bool
  ) {
    var tree = ChangingTree(window: window, seed: seed)
    drawUntilClean()
    for step in 0..<steps {
      let change = tree.change()
      // Avoids the times of a spinner's steps, where a rounding error would decide which step is drawn.
      advance(by: [0, 0.0171, 0.0533, 0.3117][step % 4])
      drawUntilClean()
      guard body(step, change) else { return }
    }
  }

  func redrawEverything() {
    window.setNeedsDisplay()
    drawUntilClean()
  }
}

/// Widgets of every kind that change at random. The same seed makes the same changes.
private struct ChangingTree {
  private let window: Window
  private let scrollView = ScrollView(frame: Rect(x: 8, y: 8, width: 100, height: 90))
  private let list = ListView(frame: Rect(x: 120, y: 8, width: 110, height: 90))
  private let rows = NumberedRows()
  private var views: [View] = []
  private var labels: [Label] = []
  private var buttons: [Button] = []
  private var spinners: [ActivityIndicator] = []
  private let progressViews = [ProgressView(style: .bar), ProgressView(style: .ring)]
  private let refresh = RefreshControl()
  private var random: SeededRandom
  private let images: [Image]
  private static let transitions: [Transition] = [
    .none, .fadeThrough, .crossDissolve, .crossDissolve(1), .slide(.left), .slide(.down), .flip(.up),
    .flip(.right),
    .custom(Spill()),
  ]

  init(window: Window, seed: UInt64) {
    self.window = window
    random = SeededRandom(seed: seed)
    images = (0..<4).map { index in
      Image(width: 24 + 8 * index, height: 20 + index, isOpaque: index % 2 == 0) { x, y in
        Color(
          red: UInt8(x * 5 & 255), green: UInt8(y * 9 & 255), blue: UInt8(60 * index),
          alpha: index % 2 == 0 ? 255 : UInt8((x + y) * 4 & 255))
      }
    }
    let panel = View(frame: Rect(x: 10, y: 104, width: 120, height: 60))
    panel.backgroundColor = Color(red: 30, green: 60, blue: 90)
    panel.cornerRadius = 9
    let badge = View(frame: Rect(x: 100, y: -9, width: 34, height: 22))
    badge.backgroundColor = Color(red: 220, green: 40, blue: 40, alpha: 180)
    panel.addSubview(badge)
    let image = ImageView(frame: Rect(x: 140.5, y: 110.25, width: 40, height: 33))
    image.cornerRadius = 6
    for index in 0..<6 {
      let cell = View(frame: Rect(x: 4, y: 4 + 40 * Double(index), width: 130, height: 36))
      cell.backgroundColor = Color(red: UInt8(40 * index), green: 80, blue: 120, alpha: 200)
      let label = Label("Row \(index)")
      label.frame = Rect(x: 30, y: 4, width: 60, height: 20)
      cell.addSubview(label)
      let spinner = ActivityIndicator()
      cell.addSubview(spinner)
      scrollView.addSubview(cell)
      labels.append(label)
      spinners.append(spinner)
      views.append(cell)
    }
    scrollView.contentSize = Size(width: 138, height: 250)
    list.rowHeight = 26
    list.dataSource = rows
    let button = Button(title: "Play it")
    button.frame = Rect(x: 150, y: 146, width: 84, height: 28)
    button.setBackgroundImage(images[2], for: .normal)
    let small = Button(title: "gjÅ")
    small.frame = Rect(x: 20, y: 20, width: 40, height: 10)
    panel.addSubview(small)
    buttons = [button, small]
    scrollView.refreshControl = refresh
    progressViews[0].frame = Rect(x: 186, y: 108, width: 50, height: 10)
    progressViews[1].frame = Rect(x: 190, y: 120, width: 30.5, height: 24)
    views += [panel, badge, image, scrollView, list, button, small] + progressViews
    for view in [scrollView, list, panel, image, button] + progressViews { window.addSubview(view) }
    window.backgroundColor = Color(red: 12, green: 14, blue: 18)
  }

  /// Makes one change and returns its name.
  mutating func change() -> String {
    let view = pick(views)
    switch random.next(below: 32) {
    case 0:
      view.isHidden.toggle()
      return "hidden"
    case 1:
      view.alpha = [0, 0.005, 0.4, 1][random.next(below: 4)]
      return "alpha"
    case 2, 3:
      let offset = Point(x: number(-14, 14), y: number(-14, 14))
      view.frame = view.frame.offset(by: offset)
      return "frame origin"
    case 4:
      view.frame.size = Size(width: number(0, 120), height: number(0, 80))
      return "frame size"
    case 5:
      view.clipsToBounds.toggle()
      return "clip"
    case 6:
      view.cornerRadius = number(0, 14)
      return "corner radius"
    case 7:
      view.contentMode = pick(ContentMode.allCases)
      return "content mode"
    case 8, 9:
      let image = random.next(below: 4) == 0 ? nil : pick(images)
      view.setContents(image, transition: pick(Self.transitions))
      return "contents"
    case 10:
      let label = pick(labels)
      label.text = pick(["", "x", "Größe gjpq", "two\nlines", "a rather long line of text", "…"])
      label.numberOfLines = random.next(below: 3)
      return "label"
    case 11:
      let label = pick(labels)
      label.font = Font(size: number(6, 34), weight: random.next(below: 2) == 0 ? .bold : .regular)
      label.frame.size = Size(width: number(1, 70), height: number(1, 30))
      return "label font"
    case 12:
      let spinner = pick(spinners)
      if random.next(below: 2) == 0 { spinner.startAnimating() } else { spinner.stopAnimating() }
      spinner.hidesWhenStopped = random.next(below: 2) == 0
      return "spinner"
    case 13:
      let button = pick(buttons)
      button.isEnabled = random.next(below: 3) > 0
      button.isSelected = random.next(below: 2) == 0
      button.isHighlighted = random.next(below: 2) == 0
      if random.next(below: 2) == 0 { window.focus(button) } else { window.focus(nil) }
      return "state"
    case 14:
      let button = pick(buttons)
      button.setImage(
        pick(images), for: [.normal, .selected][random.next(below: 2)], transition: pick(Self.transitions))
      button.setTitle(pick(["Hi", "A longer title than fits", "", "gj\nx"]), for: .normal)
      return "button pictures"
    case 15:
      let start = Point(x: number(10, 100), y: number(10, 90))
      let touch = Int64(random.next(below: 2))
      window.handle(.touch(id: touch, phase: .began, location: start))
      window.handle(.touch(id: touch, phase: .moved, location: start + Point(x: number(-30, 30), y: -40)))
      if random.next(below: 3) > 0 { window.handle(.touch(id: touch, phase: .ended, location: start)) }
      return "touch"
    case 16:
      window.handle(.wheel(location: Point(x: number(0, 240), y: 50), deltaX: 0, deltaY: number(-2, 2)))
      return "wheel"
    case 17:
      list.contentOffset.y = number(0, 500)
      list.selectedRow = random.next(below: 30)
      return "list"
    case 18:
      rows.count = [0, 1, 7, 40][random.next(below: 4)]
      list.reloadData()
      return "reload"
    case 19:
      view.borderWidth = number(0, 7)
      view.borderColor = pick([.white, Color(red: 200, green: 180, blue: 60, alpha: 120), .clear])
      return "border"
    case 20, 21:
      let color = pick([Color.black, Color(red: 90, green: 10, blue: 160, alpha: 140)])
      view.shadow =
        random.next(below: 4) == 0
        ? nil
        : Shadow(color: color, radius: number(0, 9), offset: Point(x: number(-6, 6), y: number(-6, 6)))
      return "shadow"
    case 22:
      view.tintColor = pick([nil, Color(red: 250, green: 200, blue: 40), .white.multiplyingAlpha(by: 0.5)])
      view.renderingMode = pick([.automatic, .alwaysTemplate, .alwaysOriginal])
      return "tint"
    case 23:
      // A list sets the bounds origin itself.
      if !(view is ScrollView) { view.boundsOrigin = Point(x: number(-9, 9), y: number(-9, 9)) }
      return "bounds origin"
    case 24:
      let progressView = pick(progressViews)
      progressView.isIndeterminate = random.next(below: 3) == 0
      progressView.setProgress(number(0, 2), animated: random.next(below: 2) == 0)
      progressView.style = random.next(below: 2) == 0 ? .bar : .ring
      progressView.trackColor = pick([nil, .black])
      return "progress"
    case 25:
      let button = pick(buttons)
      button.imagePlacement = pick(ImagePlacement.allCases)
      button.contentHorizontalAlignment = pick(HorizontalAlignment.allCases)
      button.contentVerticalAlignment = pick(VerticalAlignment.allCases)
      button.imageInsets = Insets(top: number(-9, 9), left: number(-9, 9), right: number(-9, 9))
      button.titleInsets = Insets(left: number(-40, 9), bottom: number(-9, 9))
      button.imageSize = pick([nil, Size(width: number(1, 50), height: number(1, 50))])
      button.imageContentMode = pick(ContentMode.allCases)
      button.imageCornerRadius = number(0, 9)
      return "button layout"
    case 26:
      if random.next(below: 2) == 0 { refresh.beginRefreshing() } else { refresh.endRefreshing() }
      refresh.isEnabled = random.next(below: 3) > 0
      return "refresh"
    case 27:
      guard let view = view as? ImageView else { return "nothing" }
      view.isHighlighted = random.next(below: 2) == 0
      view.setHighlightedImage(pick(images), transition: pick(Self.transitions))
      return "highlighted image"
    case 28:
      view.magnification = [0, 0.4, 0.83, 1, 1, 1.37][random.next(below: 6)]
      return "magnification"
    case 29:
      view.groupsOpacity.toggle()
      view.alpha = [0.4, 0.75, 1][random.next(below: 3)]
      return "group"
    case 30:
      let end = (x: number(-14, 14), width: number(0, 120))
      view.animate(spring: SpringTiming(dampingFraction: 0.5)) {
        $0.frame.origin.x += end.x
        $0.frame.size.width = end.width
        $0.magnification = 1
        $0.alpha = 0.8
      }
      return "animation"
    default:
      if let parent = view.superview {
        view.removeFromSuperview()
        parent.insertSubview(view, at: random.next(below: 4))
      }
      return "order"
    }
  }

  private mutating func pick<T>(_ values: [T]) -> T { values[random.next(below: values.count)] }

  /// A random multiple of a quarter of a point.
  private mutating func number(_ low: Int, _ high: Int) -> Double {
    Double(low) + Double(random.next(below: (high - low) * 4)) / 4
  }
}

/// Draws beyond its rectangle and moves both images.
private struct Spill: TransitionDrawing {
  nonisolated func draw(_ scene: TransitionScene, into list: inout DrawList) {
    list.fill(scene.rect.inset(by: -20), color: Color(red: 200, green: 0, blue: 90, alpha: 90))
    for (image, shift) in [(scene.old, scene.progress * 30), (scene.new, scene.progress * -30)] {
      guard var image else { continue }
      image.destination = image.destination.offset(by: Point(x: shift, y: shift / 2))
      list.draw(image)
    }
  }
}

private final class NumberedRows: ListViewDataSource {
  var count = 40

  func numberOfRows(in listView: ListView) -> Int { count }

  func listView(_ listView: ListView, cellForRow row: Int) -> ListCell {
    let cell = listView.dequeueCell(NumberCell.self)
    cell.label.text = "Number \(row)"
    return cell
  }
}

private final class NumberCell: ListCell {
  let label = Label()

  required init(frame: Rect) {
    super.init(frame: frame)
    addSubview(label)
  }

  override func layoutSubviews() { label.frame = bounds.inset(by: 3) }
}

/// SplitMix64.
private struct SeededRandom {
  private var state: UInt64

  init(seed: UInt64) { state = (seed &+ 1) &* 0xD1B5_4A32_D192_ED03 }

  mutating func next(below limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((value ^ (value >> 31)) % UInt64(max(1, limit)))
  }
}

extension Bitmap {
  /// The upright image of a rotated panel's pixels.
  fileprivate func turnedBack(_ rotation: Rotation) -> Bitmap {
    let size = rotation.turned(Size(width: Double(width), height: Double(height)))
    // The positions of the first pixel and of its neighbors to the right and below.
    let offsets = [(0, 0), (1, 0), (0, 1)].map { x, y in
      let point = rotation.onPanel(Point(x: Double(x) + 0.5, y: Double(y) + 0.5), of: size)
      return Int(point.y) * width + Int(point.x)
    }
    let (first, right, below) = (offsets[0], offsets[1] - offsets[0], offsets[2] - offsets[0])
    return withUnsafeBytes { bytes in
      Bitmap(width: Int(size.width), height: Int(size.height), format: format, isOpaque: isOpaque) {
        target, bytesPerRow in
        for y in 0..<Int(size.height) {
          for x in 0..<Int(size.width) {
            let pixel = bytes.load(fromByteOffset: 4 * (first + x * right + y * below), as: UInt32.self)
            target.storeBytes(of: pixel, toByteOffset: y * bytesPerRow + 4 * x, as: UInt32.self)
          }
        }
      }
    }
  }

  /// Describes the first pixel that differs, or nil if the bitmaps are equal.
  func firstDifference(from other: Bitmap) -> String? {
    guard width == other.width, height == other.height else { return "another size" }
    return withUnsafeBytes { bytes in
      other.withUnsafeBytes { otherBytes in
        guard let first = bytes.baseAddress, let second = otherBytes.baseAddress,
          memcmp(first, second, bytes.count) != 0
        else { return nil }
        let pairs = zip(bytes, otherBytes).enumerated()
        let pixel = (pairs.first { $0.element.0 != $0.element.1 }?.offset ?? 0) / 4
        return "pixel \(pixel % width), \(pixel / width) of \(width)x\(height)"
      }
    }
  }
}
