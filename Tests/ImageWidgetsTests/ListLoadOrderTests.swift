import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// The order in which the images of a list are requested, with one download at a time.
@Suite(.timeLimit(.minutes(5)))
struct ListLoadOrderTests {
  /// A list of 200 points with rows of 50 points, each of which shows an image.
  @MainActor
  private final class World: ListViewDataSource {
    final class Cell: ListCell {
      let image = ImageView()

      required init(frame: Rect = .zero) {
        super.init(frame: frame)
        addSubview(image)
      }

      override func layoutSubviews() { image.frame = bounds }
    }

    let transport = FakeTransport()
    let clock = ManualLoadingClock()
    let window = Window(size: Size(width: 200, height: 200))
    let list = ListView(frame: Rect(x: 0, y: 0, width: 200, height: 200))
    let options: SlotOptions
    private let priority: ImageRequest.Priority

    init(priority: ImageRequest.Priority = .normal) {
      var configuration = ImageDownloader.Configuration()
      configuration.retries = .none
      configuration.queue.rateLimit = nil
      configuration.environment.clock = clock
      configuration.queue.maximumActiveDownloads = 1
      options = SlotOptions(
        transition: .none,
        downloader: ImageDownloader(
          configuration: configuration, transports: [transport], decoder: FakeDecoder()))
      self.priority = priority
      list.rowHeight = 50
      list.dataSource = self
      window.addSubview(list)
      draw()
    }

    func numberOfRows(in listView: ListView) -> Int { 1000 }

    func listView(_ listView: ListView, cellForRow row: Int) -> ListCell {
      let cell = listView.dequeueCell(Cell.self)
      var request = try? ImageRequest("http://a.test/\(row)")
      request?.priority = priority
      cell.image.setImage(from: request, options: options)
      return cell
    }

    /// Advances the time by one frame, and draws the frame.
    func draw() {
      clock.advance(by: 0.016)
      window.update(at: window.now + 0.016)
      _ = window.drawList(for: window.bounds)
    }

    func scroll(to offset: Double) {
      list.contentOffset.y = offset
      draw()
    }

    func image(_ row: Int) -> ImageView? { (list.cell(at: row) as? Cell)?.image }

    func priority(of row: Int) -> ImageRequest.Priority? {
      (image(row)?.loadOperation(forKey: "contents") as? ImageTask)?.priority
    }

    /// Answers the downloads one after another, and returns their rows.
    func order(_ count: Int) async throws -> [Int] {
      var rows: [Int] = []
      for number in 1...count {
        let transfer = try await transport.transfer(number)
        rows.append(Int(transfer.request.url.lastPathComponent) ?? -1)
        transfer.respond(with: FakeDecoder.encodedImage(width: 4, height: 4))
      }
      return rows
    }
  }

  @Test func visibleRowsLoadFirstWhileTheListScrolls() async throws {
    let world = World()
    for row in 1...4 { world.scroll(to: Double(row) * 50) }
    #expect(world.list.visibleRows == 4..<8)

    let rows = try await world.order(9)

    #expect(rows[0] == 0, "row 0 was requested first, and its download continues")
    #expect(Set(rows[1...4]) == [4, 5, 6, 7], "visible")
    #expect(Set(rows[5...6]) == [8, 9], "in the direction of movement")
    #expect(Set(rows[7...8]) == [2, 3], "behind")
  }

  @Test func visibleRowsLoadFirstWhileTheListScrollsUp() async throws {
    let world = World()
    world.scroll(to: 1000)
    for row in 1...4 { world.scroll(to: 1000 - Double(row) * 50) }
    #expect(world.list.visibleRows == 16..<20)

    let rows = try await world.order(9)

    #expect(rows[0...1] == [0, 20], "rows 0 and 20 were requested first")
    #expect(Set(rows[2...5]) == [16, 17, 18, 19], "visible")
    #expect(Set(rows[6...7]) == [14, 15], "in the direction of movement")
    #expect(rows[8] == 21, "behind")
  }

  @Test func rowsAroundTheScreenLoadAfterAJump() async throws {
    let world = World()
    world.list.scrollToRow(500, at: .top)
    world.draw()

    let rows = try await world.order(9)

    #expect(rows == [0, 500, 501, 502, 503, 504, 505, 499, 498])
  }

  @Test(arguments: ImageRequest.Priority.allCases)
  func rowPriorityNeverExceedsItsRequestsPriority(priority: ImageRequest.Priority) throws {
    let world = World(priority: priority)
    let lower = ImageRequest.Priority(rawValue: priority.rawValue - 1) ?? .veryLow
    let lowest = ImageRequest.Priority(rawValue: priority.rawValue - 2) ?? .veryLow
    #expect(world.priority(of: 3) == priority)
    #expect(world.priority(of: 4) == lower)

    world.scroll(to: 50)
    #expect(world.priority(of: 0) == lowest, "row 0 has left the screen")
    #expect(world.priority(of: 4) == priority, "row 4 has entered the screen")

    world.scroll(to: 0)
    #expect(world.priority(of: 0) == priority)
    #expect(world.priority(of: 4) == lowest)
  }

  @Test func priorityOfATaskIsKeptWhenTheProgramSetsIt() throws {
    let world = World()
    let task = try #require(world.image(4)?.loadOperation(forKey: "contents") as? ImageTask)

    task.priority = .veryLow
    world.scroll(to: 50)

    #expect(task.priority == .veryLow)
  }

  @Test func requestThatJoinsAnOffscreenRowIsLowered() throws {
    let world = World()
    var request = try ImageRequest("http://a.test/4")
    request.priority = .veryHigh

    world.image(4)?.setImage(from: request, options: world.options)
    #expect(world.priority(of: 4) == .high)
    world.scroll(to: 50)

    #expect(world.priority(of: 4) == .veryHigh)
  }

  @Test func viewOutsideAWindowKeepsItsPriority() throws {
    let world = World()
    let view = ImageView(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    view.setImage(from: "http://a.test/alone", options: world.options)
    func priority() -> ImageRequest.Priority? {
      (view.loadOperation(forKey: "contents") as? ImageTask)?.priority
    }
    #expect(priority() == .normal)

    view.isHidden = true
    world.window.addSubview(view)
    #expect(priority() == .low)
    view.isHidden = false
    world.draw()

    #expect(priority() == .normal)
  }
}
