import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Reuses the slots of rows in a random, seeded order, while images come from memory and network, fail and are
/// cancelled, and callbacks request other images. After every step, no slot shows an image of another request.
@Suite(.timeLimit(.minutes(5)))
struct RowReuseStormTests {
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func reusedSlotsNeverShowAnImageOfAnotherRequest(seed: UInt64) async throws {
    var storm: RowStorm? = RowStorm(seed: seed)
    for _ in 0..<600 where storm?.wrongImages == [] {
      storm?.step()
      if storm?.chance(25) == true { await Task.yield() }
      storm?.look()
    }
    try await storm?.settle()

    #expect(storm?.wrongImages == [])
    #expect(storm?.received.allSatisfy { $0 == 1 } == true)
    #expect(storm?.wrongAtTheEnd == [])
    #expect(storm?.rows.allSatisfy { $0.view.pendingSlots == 0 } == true)

    let bench = storm.map { Weak($0.bench) }
    let downloader = storm.map { Weak($0.bench.downloader) }
    let views = storm?.rows.map { Weak($0.view) } ?? []
    storm = nil
    try await until {
      bench?.object == nil && downloader?.object == nil && views.allSatisfy { $0.object == nil }
    }
  }
}

@MainActor private final class Weak<Object: AnyObject> {
  weak var object: Object?
  init(_ object: Object) { self.object = object }
}

/// A slot of a row.
private enum SlotKind: Hashable {
  case contents, highlighted
  case button(ButtonSlot, ControlState)
}

@MainActor private final class RowStorm {
  final class Row {
    let view: View
    let slots: [SlotKind]
    /// The number of the image that each slot requested last; none if the slot was cleared.
    var wanted: [SlotKind: Int] = [:]
    /// The number of the call that made this request.
    var call: [SlotKind: Int] = [:]
    /// The images that custom presentations show.
    var customPresentation: [SlotKind: Image] = [:]

    init(_ view: View, _ slots: [SlotKind]) {
      self.view = view
      self.slots = slots
    }
  }

  let bench = SlotBench()
  private let other = Window(size: Size(width: 400, height: 300), scale: 2)
  private var random: SplitMix
  let rows: [Row]
  /// The number of calls of each completion.
  private(set) var received: [Int] = []
  private var succeeded: Set<Int> = []
  private(set) var wrongImages: [String] = []
  private var steps = 0
  private var isSettling = false
  private let placeholder = Image.solid(width: 1, height: 1)
  private let failure = Image.solid(width: 2, height: 2)

  init(seed: UInt64) {
    random = SplitMix(state: seed)
    let states: [ControlState] = [.normal, .highlighted, .selected, [.selected, .highlighted], .disabled]
    rows = (0..<12).map { index in
      let frame = Rect(x: Double(index % 6) * 60, y: Double(index / 6) * 60, width: 40, height: 40)
      if index < 6 { return Row(ImageView(frame: frame), [.contents, .highlighted]) }
      let button = Button(frame: frame)
      if index < 9 { button.imageSize = Size(width: 20, height: 20) }
      let slots = states.flatMap { [SlotKind.button(.image, $0), .button(.background, $0)] }
      return Row(button, slots)
    }
    for row in rows { bench.window.addSubview(row.view) }
  }

  func chance(_ percent: Int) -> Bool { random.next(100) < percent }
  private func any<Element>(_ all: [Element]) -> Element { all[random.next(all.count)] }

  // MARK: Steps

  func step() {
    steps += 1
    let row = any(rows)
    let slot = any(row.slots)
    switch random.next(24) {
    case 0...9: load(row, slot)
    case 10: cancel(row, slot)
    case 11: clear(row, slot)
    case 12: row.view.removeFromSuperview()
    case 13: (chance(30) ? other : bench.window).addSubview(row.view)
    case 14: changeState(row.view)
    case 15: row.view.frame.size = any([Size.zero, Size(width: 40, height: 40), Size(width: 55, height: 55)])
    case 16: if chance(30) { bench.downloader.removeAllCachedImages() }
    case 17...19: passTime()
    case 20: fail()
    default: respondToOne()
    }
  }

  private func load(_ row: Row, _ slot: SlotKind) {
    let number = random.next(30)
    guard var request = try? ImageRequest("http://a.test/\(number)") else { return }
    if chance(8) { request.cachePolicy = .reload }
    if chance(8) { request.cache = .none }
    var options = bench.options
    options.placeholderPolicy = any([.whileLoading, .whileLoading, .onFailure, .never])
    options.failureImage = chance(50) ? failure : nil
    options.transition = any([.none, .crossDissolve, .fadeThrough, .flip(.up)])
    options.waitsForTransition = chance(20)
    options.indicator = any([.activity, .bar, .ring, .none])
    options.cancelsPrevious = !chance(15)
    if chance(15) {
      options.showsImage = { [weak row] _, image in row?.customPresentation[slot] = image }
    }
    let call = received.count
    received.append(0)
    row.wanted[slot] = number
    row.call[slot] = call
    let loadsAgain = (atEnd: chance(6), inProgress: chance(4))
    let completion: SlotCompletion = { [weak self, weak row] result in
      guard let self else { return }
      received[call] += 1
      if case .success = result { succeeded.insert(call) }
      if loadsAgain.atEnd, !isSettling, let row { load(row, slot) }
    }
    var isOver = false
    let progress: SlotProgress = { [weak self, weak row] _ in
      guard loadsAgain.inProgress, !isOver, let self, !isSettling, let row else { return }
      isOver = true
      load(row, slot)
    }
    let image = chance(60) ? placeholder : nil
    switch (slot, row.view) {
    case (.contents, let view):
      view.setImage(
        from: request, placeholder: image, options: options, completion: completion, progress: progress)
    case (.highlighted, let view as ImageView):
      view.setHighlightedImage(
        from: request, placeholder: image, options: options, completion: completion, progress: progress)
    case (.button(.image, let state), let button as Button):
      button.setImage(
        from: request, for: state, placeholder: image, options: options, completion: completion,
        progress: progress)
    case (.button(.background, let state), let button as Button):
      button.setBackgroundImage(
        from: request, for: state, placeholder: image, options: options, completion: completion,
        progress: progress)
    default: break
    }
  }

  private func cancel(_ row: Row, _ slot: SlotKind) {
    row.call[slot] = nil
    switch (slot, row.view) {
    case (.contents, let view): view.cancelImageLoad()
    case (.highlighted, let view as ImageView): view.cancelHighlightedImageLoad()
    case (.button(.image, let state), let button as Button): button.cancelImageLoad(for: state)
    case (.button(.background, let state), let button as Button): button.cancelBackgroundImageLoad(for: state)
    default: break
    }
  }

  private func clear(_ row: Row, _ slot: SlotKind) {
    row.call[slot] = nil
    row.wanted[slot] = nil
    switch (slot, row.view) {
    case (.contents, let view): view.imageURL = nil
    case (.highlighted, let view as ImageView): view.highlightedImageURL = nil
    case (.button(.image, let state), let button as Button):
      button.setImage(from: nil, for: state, options: bench.options)
    case (.button(.background, let state), let button as Button):
      button.setBackgroundImage(from: nil, for: state, options: bench.options)
    default: break
    }
  }

  private func changeState(_ view: View) {
    if let view = view as? ImageView { view.isHighlighted.toggle() }
    if let button = view as? Button {
      switch random.next(3) {
      case 0: button.isSelected.toggle()
      case 1: button.isHighlighted.toggle()
      default: button.isEnabled.toggle()
      }
    }
  }

  private func passTime() {
    let pause = any([0.001, 1.0 / 60, 0.1, 0.5])
    for window in [bench.window, other] { window.update(at: window.now + pause) }
  }

  private func respondToOne() {
    let running = bench.transport.running
    guard !running.isEmpty else { return }
    let transfer = any(running)
    if chance(15) {
      transfer.respond(expectedLength: 1000)
      return
    }
    respond(to: transfer)
  }

  private func respond(to transfer: FakeTransfer) {
    let number = Int(transfer.request.url.lastPathComponent) ?? 0
    transfer.respond(with: FakeDecoder.encodedImage(width: Self.width(number), height: Self.width(number)))
  }

  private func fail() {
    let running = bench.transport.running
    if !running.isEmpty {
      any(running).fail(any([.status(404), .emptyBody, .transport(.cannotConnect, message: "")]))
    }
  }

  // MARK: Shown images

  /// The image of each URL has its own width, which identifies the image.
  private static func width(_ number: Int) -> Int { 200 + number }
  private static func number(_ image: Image?) -> Int? {
    image.flatMap { $0.sourceWidth >= 200 ? $0.sourceWidth - 200 : nil }
  }

  /// The slots whose images are shown now.
  private func showing(_ row: Row) -> [SlotKind] {
    row.slots.filter { slot in
      switch (slot, row.view) {
      case (.button(let slot, let state), let button as Button): button.isShowing(slot, state)
      case (.highlighted, let view as ImageView): view.isHighlighted
      default: true
      }
    }
  }

  /// Compares the images that both windows draw with the requested images.
  func look() {
    for window in [bench.window, other] {
      for case .image(let command) in window.drawList(for: window.bounds).commands {
        guard let number = Self.number(command.image) else { continue }
        let middle = command.destination.center
        for row in rows where row.view.window === window && row.view.frame.contains(middle) {
          // The outgoing image of a transition may belong to another slot of the row.
          let slots = row.view.isInTransition ? row.slots : showing(row)
          let wanted = slots.compactMap { row.wanted[$0] }
          if !wanted.contains(number) {
            wrongImages.append("step \(steps): \(type(of: row.view)) shows \(number), not one of \(wanted)")
          }
        }
      }
    }
    for row in rows {
      for (slot, image) in row.customPresentation where Self.number(image) != nil {
        if Self.number(image) != row.wanted[slot] {
          wrongImages.append("step \(steps): \(slot) in its custom presentation")
        }
      }
      for slot in row.slots {
        if let number = Self.number(stored(row, slot)), number != row.wanted[slot] {
          wrongImages.append("step \(steps): \(slot) has \(number)")
        }
      }
    }
  }

  private func stored(_ row: Row, _ slot: SlotKind) -> Image? {
    switch (slot, row.view) {
    case (.contents, let view as ImageView): view.image
    case (.highlighted, let view as ImageView): view.highlightedImage
    case (.button(let slot, let state), let button as Button):
      slot == .image ? button.image(for: state) : button.backgroundImage(for: state)
    default: nil
    }
  }

  // MARK: End

  /// Gives every view a size, and answers transfers until none runs.
  func settle() async throws {
    isSettling = true
    for row in rows {
      if row.view.frame.isEmpty { row.view.frame.size = Size(width: 40, height: 40) }
    }
    try await until {
      guard rows.contains(where: { $0.view.pendingSlots > 0 }) || received.contains(0) else { return true }
      for transfer in bench.transport.running { respond(to: transfer) }
      passTime()
      look()
      return false
    }
  }

  /// The slots whose last call succeeded and that show another image.
  var wrongAtTheEnd: [String] {
    rows.flatMap { row in
      row.slots.compactMap { slot in
        guard let call = row.call[slot], succeeded.contains(call) else { return nil }
        let image = row.customPresentation[slot] ?? stored(row, slot)
        return Self.number(image) == row.wanted[slot] ? nil : "\(slot) of call \(call)"
      }
    }
  }
}
