public import VitrineGraphics

/// A scrolling column of rows of one height, or a grid of tiles of one size, of which only those near the screen
/// exist.
///
/// A step of scrolling costs what the visible rows cost, however many there are. Tiles are numbered as rows are,
/// in the order of reading: wherever a row is spoken of, a tile is meant where `layout` has tiles.
///
/// ```swift
/// list.rowHeight = 72
/// list.dataSource = self
/// list.onSelect = { row in show(row) }
///
/// func listView(_ list: ListView, cellForRow row: Int) -> ListCell {
///   let cell = list.dequeueCell(TitleCell.self)
///   cell.title.text = titles[row]
///   return cell
/// }
/// ```
open class ListView: ScrollView {
  /// Rows, or lines of tiles, above and below the visible ones that have cells too, so that their pictures are on
  /// their way.
  public static let margin = 2

  /// Not retained. Setting it loads anew.
  public weak var dataSource: (any ListViewDataSource)? { didSet { reloadData() } }
  /// Hears which rows are likely to come. Not retained. Setting it loads anew.
  public weak var prefetchDataSource: (any ListViewPrefetching)? { didSet { reloadData() } }
  /// Rows of 44 points by default. Setting it loads anew; where there are tiles before or after, the first visible
  /// one stays the first.
  public var layout = ListLayout.rows(height: 44) { didSet { if layout != oldValue { reloadData() } } }
  /// Of a row, or of a tile, in points. Setting it makes `layout` one of rows; 1 is the least.
  public var rowHeight: Double {
    get { layout.height }
    set { layout = .rows(height: newValue) }
  }
  /// Called for a row that was tapped, or chosen with Enter; it is selected by then.
  public var onSelect: ((Int) -> Void)?
  /// The row that is drawn as selected. A tap moves it, and so do the arrow keys while the list has the focus.
  public var selectedRow: Int? {
    didSet {
      guard selectedRow != oldValue else { return }
      if let oldValue { cell(at: oldValue)?.isSelected = false }
      if let selectedRow { cell(at: selectedRow)?.isSelected = true }
    }
  }
  /// As of the last `reloadData()`.
  public private(set) var numberOfRows = 0

  /// The cells of `rows`, in their order.
  private var cells: [ListCell] = []
  /// The rows that have cells.
  private var rows = 0..<0
  /// The rows that were visible when cells were last updated.
  private var seenRows = 0..<0
  private var unused: [ReuseKey: [ListCell]] = [:]
  private var isReloadNeeded = false
  private var isUpdating = false
  /// What the content was last laid out by.
  private var laidOut = ListArrangement(.rows(height: 44), count: 0, width: 0)
  private var anchor: Anchor?
  private var rowsAhead = RowsAhead()

  /// Where everything lies, by what is known now. Insets at the sides leave tiles less room.
  private var arrangement: ListArrangement {
    let sides = layout.tileWidth == nil ? 0 : contentInsets.left + contentInsets.right
    return ListArrangement(layout, count: numberOfRows, width: bounds.width - sides)
  }

  // MARK: Rows

  /// Asks the data source for everything again, before the next frame. The offset stays, within the ends.
  public func reloadData() {
    isReloadNeeded = true
    setNeedsLayout()
  }

  /// Asks the data source for the cell of a row again; does nothing for one that has none.
  public func reload(_ row: Int) {
    guard rows.contains(row), !isReloadNeeded, !isUpdating else { return }
    let index = row - rows.lowerBound
    retire(cells[index])
    isUpdating = true
    cells[index] = makeCell(for: row, at: index)
    isUpdating = false
  }

  /// The cell of a row; nil if the row is not near the screen.
  public func cell(at row: Int) -> ListCell? {
    rows.contains(row) ? cells[row - rows.lowerBound] : nil
  }

  /// The rows of which something is within the bounds.
  public var visibleRows: Range<Int> { rows(margin: 0) }

  /// The row at a point of the content; nil beyond the ends, and between and beside tiles.
  public func row(at point: Point) -> Int? { arrangement.item(at: point) }

  /// Where a row lies in the content.
  public func place(of row: Int) -> Rect { arrangement.place(of: row) }

  /// Where a row is brought to.
  public nonisolated enum RowPosition: Hashable, Sendable {
    /// To this place of what can be seen between the insets, as far as the content's ends allow.
    case top, middle, bottom
    /// As little as it takes to see all of it, and of a tile the gap around it.
    case nearest
  }

  /// Scrolls to a row; does nothing for one that does not exist.
  public func scrollToRow(_ row: Int, at position: RowPosition = .nearest, animated: Bool = false) {
    reloadIfNeeded()
    if arrangement.columns != laidOut.columns { arrange() }
    guard (0..<numberOfRows).contains(row) else { return }
    let place = place(of: row)
    let visible = bounds.height - contentInsets.top - contentInsets.bottom
    switch position {
    case .nearest:
      let gap = max(0, min(layout.gap, (visible - place.height) / 2))
      let top = Point(x: place.minX, y: place.minY - gap)
      scrollRectToVisible(
        Rect(origin: top, size: Size(width: place.width, height: place.height + 2 * gap)), animated: animated)
    case .top: scroll(to: place.minY - contentInsets.top, animated: animated)
    case .middle: scroll(to: place.midY - contentInsets.top - visible / 2, animated: animated)
    case .bottom: scroll(to: place.maxY - contentInsets.top - visible, animated: animated)
    }
  }

  private func scroll(to y: Double, animated: Bool) {
    setContentOffset(Point(x: contentOffset.x, y: y), animated: animated)
  }

  // MARK: Cells

  /// A cell that was used for another row, or a new one; `prepareForReuse()` has been called on it.
  ///
  /// - Parameters:
  ///   - type: the cell's class; a new one is made with `init(frame:)`, as large as a row.
  ///   - identifier: keeps cells of one type apart that are set up differently.
  public func dequeueCell<Cell: ListCell>(_ type: Cell.Type, identifier: String? = nil) -> Cell {
    let key = ReuseKey(type: ObjectIdentifier(type), identifier: identifier)
    if let used = unused[key]?.popLast() as? Cell {
      used.prepareForReuse()
      return used
    }
    let cell = type.init(frame: Rect(origin: .zero, size: place(of: 0).size))
    cell.reuseKey = key
    return cell
  }

  /// Subviews begin with the cells, in the order of their rows, which is that of the Tab key.
  private func makeCell(for row: Int, at index: Int) -> ListCell {
    let cell = dataSource?.listView(self, cellForRow: row) ?? ListCell()
    cell.list = self
    cell.row = row
    cell.isSelected = row == selectedRow
    cell.frame = place(of: row)
    insertSubview(cell, at: index)
    // Image views that get their size from the cell request their images here, in the order of the calls.
    cell.layoutIfNeeded()
    return cell
  }

  private func retire(_ cell: ListCell) {
    cell.removeFromSuperview()
    cell.endTracking()
    cell.row = nil
    cell.didEndDisplaying()
    if let key = cell.reuseKey { unused[key, default: []].append(cell) }
  }

  /// The rows within the margin, and those that had a cell and lie just outside it: a finger that trembles
  /// over the edge of a row must not load and cancel the same picture again and again.
  private func wantedRows() -> Range<Int> {
    let near = rows(margin: Self.margin)
    let kept = rows.clamped(to: rows(margin: Self.margin + 1))
    guard !kept.isEmpty, kept.overlaps(near) else { return near }
    return min(near.lowerBound, kept.lowerBound)..<max(near.upperBound, kept.upperBound)
  }

  private func rows(margin: Int) -> Range<Int> {
    arrangement.items(from: bounds.minY, to: bounds.maxY, margin: margin)
  }

  /// Gives the rows near the screen their cells and takes those of the others back. O(visible rows), and
  /// nothing but arithmetic while they are the same.
  private func updateCells() {
    // With other columns other rows are near, but for the anchor: it is found with the layout.
    guard !isUpdating, !isReloadNeeded, arrangement.columns == laidOut.columns else { return }
    noteVisibleRows()
    let wanted = wantedRows()
    guard wanted != rows else { return }
    isUpdating = true
    let old = (rows: rows, cells: cells)
    // The data source finds no cells while they change.
    (rows, cells) = (0..<0, [])
    // First back, then out again, so that a screenful of cells is enough.
    for (row, cell) in zip(old.rows, old.cells) where !wanted.contains(row) { retire(cell) }
    let order = RowOrder(wanted, visible: visibleRows, from: old.rows)
    let kept = old.rows.clamped(to: wanted)
    var new = kept.map { ($0, old.cells[$0 - old.rows.lowerBound]) }
    for row in order.rows where !kept.contains(row) {
      let index = new.firstIndex { $0.0 > row } ?? new.count
      new.insert((row, makeCell(for: row, at: index)), at: index)
    }
    (rows, cells) = (wanted, new.map(\.1))
    isUpdating = false
    if prefetchDataSource != nil { tell(rowsAhead.move(from: old.rows, to: wanted, count: numberOfRows)) }
  }

  /// Tells the cells that were visible and are not any more. O(1) while the same rows are visible.
  private func noteVisibleRows() {
    let visible = visibleRows
    guard visible != seenRows else { return }
    for row in seenRows where !visible.contains(row) { cell(at: row)?.didLeaveScreen() }
    seenRows = visible
  }

  private func tell(_ news: RowsAhead.News) {
    if !news.unlikely.isEmpty {
      prefetchDataSource?.listView(self, cancelPrefetchingForRows: news.unlikely)
    }
    if !news.likely.isEmpty { prefetchDataSource?.listView(self, prefetchRows: news.likely) }
  }

  private func reloadIfNeeded() {
    guard isReloadNeeded, !isUpdating else { return }
    for cell in cells { retire(cell) }
    cells = []
    rows = 0..<0
    isReloadNeeded = false
    tell(rowsAhead.forget())
    numberOfRows = max(0, dataSource?.numberOfRows(in: self) ?? 0)
    if let selectedRow, selectedRow >= numberOfRows { self.selectedRow = nil }
    arrange()
    updateCells()
  }

  open override func didScroll() {
    super.didScroll()
    updateCells()
  }

  /// Overriders call super.
  open override func layoutSubviews() {
    super.layoutSubviews()
    reloadIfNeeded()
    arrange()
    updateCells()
    for (row, cell) in zip(rows, cells) { cell.frame = place(of: row) }
  }

  // MARK: Anchor

  /// The row that stays the first visible one while the columns change, until something else scrolls: a window that
  /// is made narrow and wide again shows what it showed before.
  private struct Anchor {
    let row: Int
    /// How much of its line, and of the gap below it, was scrolled away.
    let share: Double
    /// The offset that it was found at, or has led to.
    var offset: Double
  }

  private func currentAnchor() -> Anchor {
    if let anchor, anchor.offset == contentOffset.y { return anchor }
    let top = contentOffset.y + contentInsets.top
    let row = laidOut.items(from: top, to: top + laidOut.pitch).lowerBound
    let share = (top - laidOut.place(of: row).minY) / laidOut.pitch
    return Anchor(row: row, share: share, offset: contentOffset.y)
  }

  /// Lays the content out for the size and the layout that there are now.
  private func arrange() {
    let new = arrangement
    guard new != laidOut else { return }
    let hasTiles = layout.tileWidth != nil || laidOut.layout.tileWidth != nil
    let isAnchored =
      hasTiles && laidOut.count > 0 && (new.columns != laidOut.columns || new.layout != laidOut.layout)
    let anchor = isAnchored ? currentAnchor() : nil
    laidOut = new
    contentSize = new.contentSize
    guard let anchor else { return }
    let line = new.place(of: min(anchor.row, max(0, new.count - 1))).minY
    let offset = line + anchor.share * new.pitch - contentInsets.top
    setContentOffset(Point(x: contentOffset.x, y: offset), animated: false)
    self.anchor = Anchor(row: anchor.row, share: anchor.share, offset: contentOffset.y)
  }

  /// Overriders call super.
  open override func boundsDidChange() {
    guard layout.tileWidth != nil, laidOut.count > 0 else { return super.boundsDidChange() }
    // Found now, since the ends that the offset is kept within are still those of the old columns.
    var anchor = currentAnchor()
    super.boundsDidChange()
    anchor.offset = contentOffset.y
    self.anchor = anchor
  }

  // MARK: Accessibility

  /// `list`.
  open override var accessibilityRole: AccessibilityRole {
    get { role(.list) }
    set { super.accessibilityRole = newValue }
  }
  /// Which row is selected, and how many there are, as `3 of 10`; without a selection only how many.
  open override var accessibilityValue: String? {
    get {
      super.accessibilityValue ?? selectedRow.map { "\($0 + 1) of \(numberOfRows)" } ?? "\(numberOfRows)"
    }
    set { super.accessibilityValue = newValue }
  }

  // MARK: Selection

  func choose(_ row: Int) {
    selectedRow = row
    onSelect?(row)
  }

  /// True where rows can be chosen.
  open override var canBecomeFocused: Bool { onSelect != nil }

  open override func focusDidChange() {
    super.focusDidChange()
    if isFocused, selectedRow == nil { selectedRow = visibleRows.first }
    // The line round it comes and goes with the focus.
    if let selectedRow { cell(at: selectedRow)?.stateDidChange() }
  }

  /// With the focus, Enter chooses, and Up and Down move the selection; among tiles so do Left, Right, the page
  /// keys, Home and End. All other keys scroll. An arrow at the first or last row, or at the edge of a grid, is passed
  /// on once nothing is left to scroll.
  open override func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool {
    guard isFocused, modifiers.isEmpty, numberOfRows > 0 else {
      return super.keyDown(key, modifiers: modifiers)
    }
    if key == .enter {
      guard let selectedRow else { return false }
      choose(selectedRow)
      return true
    }
    guard let step = step(for: key), let next = arrangement.item(after: step, from: selectedRow) else {
      return super.keyDown(key, modifiers: modifiers)
    }
    if next == selectedRow, FocusDirection(key) != nil { return super.keyDown(key, modifiers: modifiers) }
    selectedRow = next
    scrollToRow(next, animated: true)
    return true
  }

  private func step(for key: Key) -> ListArrangement.Step? {
    let page = Int((bounds.height / laidOut.pitch).clamped(to: 1...1e6))
    return switch key {
    case .up: .up
    case .down: .down
    case _ where layout.tileWidth == nil: nil
    case .left: .previous
    case .right: .next
    case .pageUp: .pageUp(lines: page)
    case .pageDown: .pageDown(lines: page)
    case .home: .first
    case .end: .last
    default: nil
    }
  }
}
