import Vitrine

/// The sizes of a row of the list: the larger the list, the larger the rows.
nonisolated struct ImageRow: Equatable {
  /// The height of the row in points.
  let height: Double
  let imageSize: Size
  /// The width in points of the list from which on its rows have these sizes.
  let leastListWidth: Double
  /// The minimum width in points of a row beside another row.
  let columnWidth: Double
  let title, detail, note: Line

  /// A line of text.
  struct Line: Equatable {
    let font: Font
    /// The height of the line in points, with the distance to the next one.
    let height: Double
  }

  static let small = ImageRow(
    height: 96, imageSize: Size(width: 120, height: 80), leastListWidth: 0, columnWidth: 448,
    title: Line(font: .bold(17), height: 24), detail: Line(font: .regular(13), height: 20),
    note: Line(font: .regular(12), height: 18))
  static let medium = ImageRow(
    height: 144, imageSize: Size(width: 160, height: 120), leastListWidth: 448, columnWidth: 448,
    title: Line(font: .bold(20), height: 32), detail: Line(font: .regular(15), height: 24),
    note: Line(font: .regular(13), height: 24))
  static let large = ImageRow(
    height: 208, imageSize: Size(width: 240, height: 180), leastListWidth: 1344, columnWidth: 600,
    title: Line(font: .bold(24), height: 40), detail: Line(font: .regular(18), height: 32),
    note: Line(font: .regular(15), height: 28))
  static let huge = ImageRow(
    height: 272, imageSize: Size(width: 320, height: 240), leastListWidth: 1800, columnWidth: 800,
    title: Line(font: .bold(30), height: 48), detail: Line(font: .regular(22), height: 40),
    note: Line(font: .regular(18), height: 32))

  /// Returns the largest rows of which a list of a size shows at least two lines; `small` if there is no space for two.
  static func fitting(_ list: Size) -> ImageRow {
    [huge, large, medium].first { $0.leastListWidth <= list.width && 2 * $0.height <= list.height } ?? small
  }

  /// Returns the rows of a height; `small` if there are none.
  static func ofHeight(_ height: Double) -> ImageRow {
    [medium, large, huge].first { $0.height == height } ?? small
  }

  /// As many columns as fit. Rows that are wide enough for two are so from about 900 points on.
  var layout: ListLayout { .rows(height: height, minimumWidth: columnWidth) }

  /// The frames of the parts of a row.
  struct Frames: Equatable {
    let image, title, detail, note: Rect
    /// The distance between the image, the texts and the edges, in points.
    let margin: Double
  }

  /// Returns the frames in a row of a width in points.
  func frames(inWidth width: Double) -> Frames {
    let margin = width < 400 ? 12.0 : 24.0
    let image = Rect(
      origin: Point(x: margin, y: ((height - imageSize.height) / 2).rounded()), size: imageSize)
    let x = image.maxX + margin
    var y = ((height - title.height - detail.height - note.height) / 2).rounded()
    func next(_ line: Line) -> Rect {
      defer { y += line.height }
      return Rect(x: x, y: y, width: max(0, width - x - margin), height: line.height)
    }
    return Frames(image: image, title: next(title), detail: next(detail), note: next(note), margin: margin)
  }
}
