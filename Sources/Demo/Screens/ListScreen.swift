import Vitrine

/// A list of images with three lines of text each: rows of one column, or side by side in a wide window.
final class ListScreen: FeedScreen {
  /// The timer that updates the ages in the rows each minute; `nil` while no row shows an age.
  private var ageTimer: WindowTimer?

  init(items: Feed.Items, failure: Image?, prefetcher: ImagePrefetcher?) {
    super.init(
      items, layout: ImageRow.small.layout, cell: ImageCell.self, imageSize: ImageRow.small.imageSize,
      failure: failure, prefetcher: prefetcher)
  }

  override func layoutSubviews() {
    let row = ImageRow.fitting(bounds.size)
    imageSize = row.imageSize
    list.layout = row.layout
    super.layoutSubviews()
  }

  // MARK: Ages

  override func statusDidChange(of cell: FeedCell) {
    super.statusDidChange(of: cell)
    if cell.status.showsAge { startAgeTimer() }
  }

  override func didMoveToWindow() {
    super.didMoveToWindow()
    ageTimer?.cancel()
    ageTimer = nil
    updateAges()
  }

  private func startAgeTimer() {
    guard ageTimer == nil, let window else { return }
    ageTimer = window.every(60) { [weak self] in self?.updateAges() }
  }

  /// Updates the ages, and starts or stops the timer.
  private func updateAges() {
    let cells = list.rowsWithCells.compactMap { list.cell(at: $0) as? FeedCell }
    for cell in cells { cell.statusDidChange() }
    guard !cells.contains(where: \.status.showsAge) else { return }
    ageTimer?.cancel()
    ageTimer = nil
  }
}
