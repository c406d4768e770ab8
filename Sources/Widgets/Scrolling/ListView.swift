public import VitrineGraphics

/// A scrolling column of rows of one height, several such columns, or a grid of tiles of one size. Only the rows near
/// the screen have cells.
///
/// A scroll step is O(visible rows), independent of the number of rows. Tiles, and rows side by side, are numbered in
/// reading order. Where this documentation mentions rows, the same applies to tiles.
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
  /// The number of rows, or lines of tiles, above and below the visible ones that also have cells, so that their images
  /// are loaded ahead.
  package static let margin = 2

  /// The provider of the cells. Not retained. A change reloads the list.
  public weak var dataSource: (any ListViewDataSource)? { didSet { reloadData() } }
  /// The receiver of the rows that are likely to appear soon. Not retained. A change reloads the list.
  public weak var prefetchDataSource: (any ListViewPrefetching)? { didSet { reloadData() } }
  /// The layout; rows of 44 points by default. A change reloads the list. If the old or the new layout allows several
  /// columns, the first visible row stays the first visible one.
  public var layout = ListLayout.rows(height: 44) { didSet { if layout != oldValue { reloadData() } } }
  /// The height of a row or tile in points, at least 1. Setting the height changes `layout` to rows.
  public var rowHeight: Double {
    get { layout.height }
    set { layout = .rows(height: newValue) }
  }
  /// Called when a row was tapped or chosen with Enter, after the row is selected.
  public var onSelect: ((Int) -> Void)?
  /// Called when a finger or the mouse has rested on a row for 0.5 s, while it is still down, and when Ctrl-Enter or
  /// Shift-Enter was pressed for the selected row. The selection stays, and the lift of the finger does not call `onSelect`.
  /// A press on a control in the row is not a long press.
  public var onLongPress: ((Int) -> Void)?
  /// The row that is drawn as selected; `nil` by default. Taps change the selection, and arrow keys do while the list
  /// has the focus.
  public var selectedRow: Int? {
    didSet {
      guard selectedRow != oldValue else { return }
      if let oldValue { cell(at: oldValue)?.isSelected = false }
      if let selectedRow { cell(at: selectedRow)?.isSelected = true }
    }
  }
  /// The number of rows as of the last `reloadData()` or `apply(_:update:)`.
  public private(set) var numberOfRows = 0
  /// True if a list that is scrolled to its beginning stays there when `apply(_:update:)` inserts rows. False by
  /// default: the first visible row keeps its place, and rows that are inserted at the beginning are above it.
  public var sticksToTop = false

  /// The cells of `rows`, in the order of the rows.
  private var cells: [ListCell] = []
  /// The rows that have cells.
  private var rows = 0..<0
  /// The rows that were visible at the last update of the cells.
  private var lastVisibleRows = 0..<0
  private var reusableCells: [ReuseKey: [ListCell]] = [:]
  private var isReloadNeeded = false
  private var isUpdating = false
  /// The arrangement for which the content was last laid out.
  private var laidOut = ListArrangement(.rows(height: 44), count: 0, width: 0)
  private var anchor: Anchor?
  private var rowsAhead = RowsAhead()

  /// The arrangement for the current layout and width. Insets at the sides reduce the width for several columns.
  private var arrangement: ListArrangement { arrangement(count: numberOfRows) }

  private func arrangement(count: Int) -> ListArrangement {
    let sides = layout.allowsColumns ? contentInsets.left + contentInsets.right : 0
    return ListArrangement(layout, count: count, width: bounds.width - sides)
  }

  // MARK: Rows

  /// Requests all rows from the data source again before the next frame. The scroll offset is kept, limited to the ends
  /// of the content.
  public func reloadData() {
    isReloadNeeded = true
    setNeedsLayout()
  }

  /// Requests the cell of a row from the data source again. Does nothing for a row without a cell.
  public func reload(_ row: Int) {
    guard rows.contains(row), !isReloadNeeded, !isUpdating else { return }
    let index = row - rows.lowerBound
    retire(cells[index])
    isUpdating = true
    cells[index] = makeCell(for: row, at: index)
    isUpdating = false
  }

  /// Shows other rows. Rows that the list has already keep their cells, with their images, loads, touches and
  /// selection, and the first visible row keeps its place on the screen.
  ///
  /// ```swift
  /// let changes = ListChanges(from: titles, to: newTitles)
  /// list.apply(changes) { titles = newTitles }
  /// ```
  ///
  /// The data source is asked for the cells of rows that come near the screen only. To update the contents of the cells
  /// that stay, go through `rowsWithCells` afterwards. O(visible rows), unless all visible rows are removed.
  ///
  /// A list outside a window, and a list that waits for a reload, takes its cells from the data source before the next
  /// frame. So does a list whose number of rows is not `changes.oldCount`.
  ///
  /// - Parameters:
  ///   - changes: The difference between the rows of the list and the new rows.
  ///   - update: Changes the data of the data source. Called once, within this call. Before that,
  ///     `prefetchDataSource` receives the prefetched rows that were removed, in their old numbers. `onScroll` is called
  ///     afterwards.
  public func apply(_ changes: ListChanges, update: () -> Void) {
    guard changes.oldCount == numberOfRows, !isReloadNeeded, !isUpdating, dataSource != nil else {
      return replaceRows(changes, update: update)
    }
    if arrangement != laidOut { arrange() }
    let shift = shift(for: changes)
    let old = (rows: rows, cells: cells, visible: lastVisibleRows)
    isUpdating = true
    // The data source sees no cells while they change.
    (rows, cells) = (0..<0, [])
    selectedRow = selectedRow.flatMap { changes.newRow(of: $0) }
    numberOfRows = changes.newCount
    moveContent(by: shift)
    let needed = window == nil ? 0..<0 : neededRows()
    var ahead = RowsAhead.RowChanges()
    if prefetchDataSource != nil { ahead = rowsAhead.apply(changes, rows: (old.rows, needed)) }
    if !ahead.unlikely.isEmpty {
      prefetchDataSource?.listView(self, cancelPrefetchingForRows: ahead.unlikely)
    }
    update()
    let kept = keep(old, changes, needed: needed)
    guard window != nil, dataSource?.numberOfRows(in: self) == numberOfRows else {
      for (_, cell) in kept { retire(cell) }
      isUpdating = false
      reloadData()
      return reportScroll()
    }
    fill(needed, keeping: kept, from: 0..<0)
    lastVisibleRows = visibleRows
    isUpdating = false
    if !ahead.likely.isEmpty { prefetchDataSource?.listView(self, prefetchRows: ahead.likely) }
    // A handler may have scrolled in the meantime.
    updateCells()
    reportScroll()
  }

  /// Lets the next layout request all cells, for changes that cannot be applied to the cells there are.
  private func replaceRows(_ changes: ListChanges, update: () -> Void) {
    if changes.oldCount == numberOfRows { selectedRow = selectedRow.flatMap { changes.newRow(of: $0) } }
    if !isUpdating {
      // Prefetched rows are cancelled while their numbers are still those of the data source.
      report(rowsAhead.reset())
      // The cells have the numbers of the old rows, which the caller must not look up among the new ones.
      isReloadNeeded = true
      retireAllCells()
    }
    update()
    reloadData()
  }

  private func retireAllCells() {
    let retired = cells
    (rows, cells) = (0..<0, [])
    for cell in retired { retire(cell) }
  }

  /// Returns the distance by which the row moves that keeps its place on the screen.
  private func shift(for changes: ListChanges) -> Double {
    // A refresh control above the content may still be on its way into view or out of it.
    if sticksToTop, contentOffset.y <= -contentInsets.top { return 0 }
    guard let anchor = RowAnchor(changes, visible: visibleRows) else { return 0 }
    let new = arrangement(count: changes.newCount)
    return new.frame(of: anchor.newRow).minY - laidOut.frame(of: anchor.oldRow).minY
  }

  /// Lays out the content after its rows have changed, and scrolls without a visible movement.
  private func moveContent(by distance: Double) {
    anchor = nil
    laidOut = arrangement
    followContent(by: distance, resizedTo: laidOut.contentSize)
  }

  /// Gives the cells of rows that are still needed their new rows, and retires the others.
  private func keep(
    _ old: (rows: Range<Int>, cells: [ListCell], visible: Range<Int>), _ changes: ListChanges,
    needed: Range<Int>
  ) -> [(row: Int, cell: ListCell)] {
    let visible = visibleRows
    var kept: [(row: Int, cell: ListCell)] = []
    for (row, cell) in zip(old.rows, old.cells) {
      guard let newRow = changes.newRow(of: row), needed.contains(newRow) else {
        retire(cell)
        continue
      }
      kept.append((newRow, cell))
      if old.visible.contains(row), !visible.contains(newRow) { cell.didLeaveScreen() }
    }
    kept.sort { $0.row < $1.row }
    for (row, cell) in kept {
      cell.row = row
      cell.isSelected = row == selectedRow
      cell.frame = frame(of: row)
    }
    sendToBack(kept.map(\.cell))
    return kept
  }

  /// The rows that have cells: the visible ones and some before and after them.
  public var rowsWithCells: Range<Int> { rows }

  /// Returns the cell of a row; `nil` if the row is not near the screen.
  public func cell(at row: Int) -> ListCell? { rows.contains(row) ? cells[row - rows.lowerBound] : nil }

  /// The rows that are at least partly within the bounds.
  public var visibleRows: Range<Int> { rows(margin: 0) }

  /// Returns the row at a point of the content; `nil` beyond the ends and between or beside tiles.
  public func row(at point: Point) -> Int? { arrangement.item(at: point) }

  /// Returns the frame of a row in the coordinates of the content.
  public func frame(of row: Int) -> Rect { arrangement.frame(of: row) }

  /// The position to which `ListView.scrollToRow(_:at:animated:)` scrolls a row.
  public nonisolated enum RowPosition: Hashable, Sendable {
    /// The top, middle or bottom of the visible area between the insets, as far as the ends of the content allow.
    case top, middle, bottom
    /// The nearest position at which the whole row is visible; for a tile, including the gap around it.
    case nearest
  }

  /// Scrolls to a row. Does nothing for a row that does not exist.
  public func scrollToRow(_ row: Int, at position: RowPosition = .nearest, animated: Bool = false) {
    reloadIfNeeded()
    if arrangement.columns != laidOut.columns { arrange() }
    guard (0..<numberOfRows).contains(row) else { return }
    let rowFrame = frame(of: row)
    let visibleHeight = bounds.height - contentInsets.top - contentInsets.bottom
    switch position {
    case .nearest:
      let gap = max(0, min(layout.gap, (visibleHeight - rowFrame.height) / 2))
      let top = Point(x: rowFrame.minX, y: rowFrame.minY - gap)
      scrollRectToVisible(
        Rect(origin: top, size: Size(width: rowFrame.width, height: rowFrame.height + 2 * gap)),
        animated: animated)
    case .top: scroll(to: rowFrame.minY - contentInsets.top, animated: animated)
    case .middle: scroll(to: rowFrame.midY - contentInsets.top - visibleHeight / 2, animated: animated)
    case .bottom: scroll(to: rowFrame.maxY - contentInsets.top - visibleHeight, animated: animated)
    }
  }

  private func scroll(to y: Double, animated: Bool) {
    setContentOffset(Point(x: contentOffset.x, y: y), animated: animated)
  }

  // MARK: Cells

  /// Returns a used cell after a call of `prepareForReuse()`, or a new cell.
  ///
  /// - Parameters:
  ///   - type: The class of the cell. A new cell is created with `init(frame:)`, as large as a row.
  ///   - identifier: Distinguishes cells of one class that are configured differently.
  public func dequeueCell<Cell: ListCell>(_ type: Cell.Type, identifier: String? = nil) -> Cell {
    let key = ReuseKey(type: ObjectIdentifier(type), identifier: identifier)
    if let reused = reusableCells[key]?.popLast() as? Cell {
      reused.prepareForReuse()
      return reused
    }
    let cell = type.init(frame: Rect(origin: .zero, size: frame(of: 0).size))
    cell.reuseKey = key
    return cell
  }

  /// Cells are the first subviews, in the order of the rows, because the Tab key follows that order.
  private func makeCell(for row: Int, at index: Int) -> ListCell {
    let cell = dataSource?.listView(self, cellForRow: row) ?? ListCell()
    cell.list = self
    cell.row = row
    cell.isSelected = row == selectedRow
    cell.frame = frame(of: row)
    insertSubview(cell, at: index)
    // Image views that are sized by the cell request their images here, so that requests are made in the order of the
    // rows.
    cell.layoutIfNeeded()
    return cell
  }

  private func retire(_ cell: ListCell) {
    cancelLongPress(on: cell)
    cell.removeFromSuperview()
    cell.endTracking()
    cell.row = nil
    cell.didEndDisplaying()
    if let key = cell.reuseKey { reusableCells[key, default: []].append(cell) }
  }

  /// Returns the rows within the margin, and rows with cells just outside it. The hysteresis prevents that a trembling
  /// finger at the edge of a row repeatedly loads and cancels an image.
  private func neededRows() -> Range<Int> {
    let nearby = rows(margin: Self.margin)
    let kept = rows.clamped(to: rows(margin: Self.margin + 1))
    guard !kept.isEmpty, kept.overlaps(nearby) else { return nearby }
    return min(nearby.lowerBound, kept.lowerBound)..<max(nearby.upperBound, kept.upperBound)
  }

  private func rows(margin: Int) -> Range<Int> {
    arrangement.items(from: bounds.minY, to: bounds.maxY, margin: margin)
  }

  /// Gives cells to the rows near the screen and retires the other cells. O(visible rows), or O(1) if the rows have not
  /// changed.
  private func updateCells() {
    // If the number of columns has changed, the rows near the screen depend on the anchor, which `arrange()` finds.
    guard !isUpdating, !isReloadNeeded, arrangement.columns == laidOut.columns else { return }
    updateVisibleRows()
    let needed = neededRows()
    guard needed != rows else { return }
    isUpdating = true
    let old = (rows: rows, cells: cells)
    // The data source sees no cells while they change.
    (rows, cells) = (0..<0, [])
    // Cells are retired before others are requested, so that a screenful of cells suffices.
    for (row, cell) in zip(old.rows, old.cells) where !needed.contains(row) { retire(cell) }
    let kept = old.rows.clamped(to: needed).map { ($0, old.cells[$0 - old.rows.lowerBound]) }
    fill(needed, keeping: kept, from: old.rows)
    isUpdating = false
    if prefetchDataSource != nil { report(rowsAhead.move(from: old.rows, to: needed, count: numberOfRows)) }
  }

  /// Makes the cells that are missing among the needed rows.
  ///
  /// - Parameters:
  ///   - kept: The cells that there are, in the order of their rows.
  ///   - old: The rows that had cells, from which the direction of scrolling follows.
  private func fill(_ needed: Range<Int>, keeping kept: [(row: Int, cell: ListCell)], from old: Range<Int>) {
    var new = kept
    for row in RowOrder(needed, visible: visibleRows, from: old).rows {
      let index = new.firstIndex { $0.row >= row } ?? new.count
      if index < new.count, new[index].row == row { continue }
      new.insert((row, makeCell(for: row, at: index)), at: index)
    }
    (rows, cells) = (needed, new.map(\.cell))
  }

  /// Notifies the cells that are no longer visible. O(1) if the visible rows have not changed.
  private func updateVisibleRows() {
    let visible = visibleRows
    guard visible != lastVisibleRows else { return }
    for row in lastVisibleRows where !visible.contains(row) { cell(at: row)?.didLeaveScreen() }
    lastVisibleRows = visible
  }

  private func report(_ changes: RowsAhead.RowChanges) {
    if !changes.unlikely.isEmpty {
      prefetchDataSource?.listView(self, cancelPrefetchingForRows: changes.unlikely)
    }
    if !changes.likely.isEmpty { prefetchDataSource?.listView(self, prefetchRows: changes.likely) }
  }

  private func reloadIfNeeded() {
    guard isReloadNeeded, !isUpdating else { return }
    retireAllCells()
    isReloadNeeded = false
    report(rowsAhead.reset())
    numberOfRows = max(0, dataSource?.numberOfRows(in: self) ?? 0)
    if let selectedRow, selectedRow >= numberOfRows { self.selectedRow = nil }
    arrange()
    updateCells()
  }

  open override func didScroll() {
    super.didScroll()
    updateCells()
  }

  /// Reloads, if requested, and lays out the rows. Overrides call super.
  open override func layoutSubviews() {
    super.layoutSubviews()
    reloadIfNeeded()
    arrange()
    updateCells()
    for (row, cell) in zip(rows, cells) { cell.frame = frame(of: row) }
  }

  // MARK: Anchor

  /// The row that stays the first visible one while the number of columns changes, until the list is scrolled. A window
  /// that becomes narrow and wide again shows the same rows as before.
  private struct Anchor {
    let row: Int
    /// The fraction of the row's line, including the gap below, that was scrolled out of view.
    let hiddenFraction: Double
    /// The offset at which the anchor was found, or to which it has led.
    var offset: Double
  }

  private func currentAnchor() -> Anchor {
    if let anchor, anchor.offset == contentOffset.y { return anchor }
    let top = contentOffset.y + contentInsets.top
    let row = laidOut.items(from: top, to: top + laidOut.pitch).lowerBound
    let hiddenFraction = (top - laidOut.frame(of: row).minY) / laidOut.pitch
    return Anchor(row: row, hiddenFraction: hiddenFraction, offset: contentOffset.y)
  }

  /// Lays out the content for the current size and layout.
  private func arrange() {
    let new = arrangement
    guard new != laidOut else { return }
    let hasColumns = layout.allowsColumns || laidOut.layout.allowsColumns
    let isAnchored =
      hasColumns && laidOut.count > 0 && (new.columns != laidOut.columns || new.layout != laidOut.layout)
    let anchor = isAnchored ? currentAnchor() : nil
    laidOut = new
    contentSize = new.contentSize
    guard let anchor else { return }
    let line = new.frame(of: min(anchor.row, max(0, new.count - 1))).minY
    let offset = line + anchor.hiddenFraction * new.pitch - contentInsets.top
    setContentOffset(Point(x: contentOffset.x, y: offset), animated: false)
    self.anchor = Anchor(row: anchor.row, hiddenFraction: anchor.hiddenFraction, offset: contentOffset.y)
  }

  /// Records the first visible row of a list whose number of columns may change, so that the row stays the first one in
  /// the layout for the new width. Overrides call super.
  open override func boundsDidChange() {
    guard layout.allowsColumns, laidOut.count > 0 else { return super.boundsDidChange() }
    // The anchor is determined first, because super limits the offset to the ends of the old arrangement.
    var anchor = currentAnchor()
    super.boundsDidChange()
    anchor.offset = contentOffset.y
    self.anchor = anchor
  }

  // MARK: Accessibility

  /// The role `.list`, unless another role was set.
  open override var accessibilityRole: AccessibilityRole {
    get { role(.list) }
    set { super.accessibilityRole = newValue }
  }
  /// The value that was set, or else the selection and the number of rows, for example `3 of 10`; only the number
  /// without a selection.
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

  /// Returns the cell that a touch presses if `onLongPress` is set; `nil` for a touch on a control in a cell, or outside of
  /// all cells.
  open override func longPressTarget(of touch: Touch) -> View? {
    var view = onLongPress == nil ? nil : touch.view
    while let current = view, current !== self {
      if current is ListCell { return current }
      if current is Control { return nil }
      view = current.superview
    }
    return nil
  }

  /// Calls `onLongPress`.
  open override func didLongPress(_ view: View) {
    if let row = (view as? ListCell)?.row { onLongPress?(row) }
  }

  /// True if `onSelect` or `onLongPress` is set, so that rows can be chosen.
  open override var canBecomeFocused: Bool { onSelect != nil || onLongPress != nil }

  open override func focusDidChange() {
    super.focusDidChange()
    if isFocused, selectedRow == nil { selectedRow = visibleRows.first }
    // The outline of the selected row depends on the focus.
    if let selectedRow { cell(at: selectedRow)?.stateDidChange() }
  }

  /// Handles a key while the list has the focus: Enter chooses the selected row, Ctrl-Enter and Shift-Enter call
  /// `onLongPress` for it, Up and Down move the selection. With tiles and with several columns, Left, Right, the page
  /// keys, Home and End move the selection too. All other keys scroll.
  ///
  /// An arrow at the first or last row, or at the edge of a grid, is passed on if nothing is left to scroll.
  open override func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool {
    if isFocused, key == .enter, modifiers == .control || modifiers == .shift, let onLongPress,
      let selectedRow
    {
      onLongPress(selectedRow)
      return true
    }
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
    case _ where layout.tileWidth == nil && laidOut.columns == 1: nil
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
