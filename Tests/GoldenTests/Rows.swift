import VitrineGraphics
import VitrineWidgets

/// A data source of twenty rows with an image and a title.
final class Rows: ListViewDataSource {
  func numberOfRows(in listView: ListView) -> Int { 20 }

  func listView(_ listView: ListView, cellForRow row: Int) -> ListCell {
    let cell = listView.dequeueCell(RowCell.self)
    cell.label.text = "Picture \(row + 1)"
    return cell
  }

  /// A list of the rows, in which almost four rows are visible.
  func list(on stage: Stage, y: Double = 8) -> ListView {
    let list = ListView()
    list.rowHeight = 32
    list.dataSource = self
    list.onSelect = { _ in }
    return stage.add(list, x: 8, y: y, width: 160, height: 120)
  }
}

private final class RowCell: ListCell {
  let label = Label()
  private let image = ImageView(Samples.quarters(width: 24, height: 24))

  required init(frame: Rect) {
    super.init(frame: frame)
    addSubview(image)
    addSubview(label)
  }

  override func layoutSubviews() {
    image.frame = Rect(x: 4, y: 4, width: 24, height: 24)
    label.frame = Rect(x: 36, y: 4, width: bounds.width - 40, height: 24)
  }
}
