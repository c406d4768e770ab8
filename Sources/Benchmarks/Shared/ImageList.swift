import Vitrine

/// A list of images with two lines of text in an off-screen window of 1280x800. All images are in the memory cache.
@MainActor
final class ImageList {
  /// The number of distinct images: more than a run ever shows.
  private static let imageCount = 2000
  private static let imageSize = Size(width: 96, height: 72)

  let application: Application
  let list = ListView()
  private let rows: Int
  private var time = 0.0

  init(rows: Int, movesClock: Bool) throws {
    self.rows = rows
    application = try .offscreen()
    if movesClock { application.host.clock = .manual { [unowned self] in time } }
    for index in 0..<min(rows, Self.imageCount) {
      application.cache.insert(
        .noise(index, size: Self.imageSize), for: try ImageRequest(Self.url(index)),
        additionalIdentifier: nil)
    }
    list.rowHeight = 88
    list.dataSource = self
    application.window.rootView = list
  }

  /// Advances the clock by 1/60 s and draws a frame if one is due.
  func frame() {
    time += 1.0 / 60
    application.host.turn(waitUpTo: 0)
  }

  private static func url(_ row: Int) -> String {
    "https://pictures.example.com/\(row % imageCount).jpg"
  }
}

extension ImageList: ListViewDataSource {
  func numberOfRows(in list: ListView) -> Int { rows }

  func listView(_ list: ListView, cellForRow row: Int) -> ListCell {
    let cell = list.dequeueCell(ImageRow.self)
    cell.image.setImage(from: Self.url(row))
    cell.title.text = "Picture number \(row + 1)"
    cell.detail.text = "Taken on day \(row % 365 + 1) of the year, somewhere on the way"
    return cell
  }
}

/// A row with an image of 96x72, a title and details.
private final class ImageRow: ListCell {
  let image = ImageView()
  let title = Label("", font: Font(size: 18, weight: .bold), color: .white)
  let detail = Label("", font: Font(size: 14), color: Color(hex: 0xA0A8B4))

  required init(frame: Rect = .zero) {
    super.init(frame: frame)
    for view in [image, title, detail] { addSubview(view) }
  }

  override func layoutSubviews() {
    image.frame = Rect(x: 16, y: 8, width: 96, height: 72)
    title.frame = Rect(x: 128, y: 16, width: bounds.width - 144, height: 26)
    detail.frame = Rect(x: 128, y: 46, width: bounds.width - 144, height: 22)
  }
}
