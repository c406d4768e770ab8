public import VitrineGraphics

/// A scrolling column of rows of one height, of which only those near the screen exist.
///
/// A step of scrolling costs what the visible rows cost, however many there are.
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
  /// Rows above and below the visible ones that have cells too, so that their pictures are on their way.
  public static let margin = 2

  /// Not retained. Setting it loads anew.
  public weak var dataSource: (any ListViewDataSource)? { didSet { reloadData() } }
  /// In points, above zero. 44 by default.
  public var rowHeight = 44.0 {
    didSet {
      rowHeight = max(1, rowHeight)
      if rowHeight != oldValue { reloadData() }
    }
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
  private var unused: [ReuseKey: [ListCell]] = [:]
  private var isReloadNeeded = false
  private var isUpdating = false

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

  /// The row at a point of the content; nil beyond the ends.
  public func row(at point: Point) -> Int? {
    let row = Int((point.y / rowHeight).rounded(.down).clamped(to: -1...1e15))
    return (0..<numberOfRows).contains(row) ? row : nil
  }

  /// Where a row lies in the content.
  public func place(of row: Int) -> Rect {
    Rect(x: 0, y: Double(row) * rowHeight, width: bounds.width, height: rowHeight)
  }

  /// Where a row is brought to.
  public nonisolated enum RowPosition: Hashable, Sendable {
    /// To this place of what can be seen between the insets, as far as the content's ends allow.
    case top, middle, bottom
    /// As little as it takes to see all of it.
    case nearest
  }

  /// Scrolls to a row; does nothing for one that does not exist.
  public func scrollToRow(_ row: Int, at position: RowPosition = .nearest, animated: Bool = false) {
    reloadIfNeeded()
    guard (0..<numberOfRows).contains(row) else { return }
    let place = place(of: row)
    let visible = bounds.height - contentInsets.top - contentInsets.bottom
    switch position {
    case .nearest: scrollRectToVisible(place, animated: animated)
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
  ///   - type: the cell's class; a new one is made with `init(frame:)`, as wide as the list.
  ///   - identifier: keeps cells of one type apart that are set up differently.
  public func dequeueCell<Cell: ListCell>(_ type: Cell.Type, identifier: String? = nil) -> Cell {
    let key = ReuseKey(type: ObjectIdentifier(type), identifier: identifier)
    if let used = unused[key]?.popLast() as? Cell {
      used.prepareForReuse()
      return used
    }
    let cell = Cell(frame: Rect(x: 0, y: 0, width: bounds.width, height: rowHeight))
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
    guard numberOfRows > 0, bounds.height > 0 else { return 0..<0 }
    func row(_ y: Double, _ rule: FloatingPointRoundingRule, _ margin: Int) -> Int {
      Int((y / rowHeight).rounded(rule).clamped(to: 0...Double(numberOfRows))) + margin
    }
    let first = max(0, row(bounds.minY, .down, -margin))
    let end = min(numberOfRows, row(bounds.maxY, .up, margin))
    return first..<max(first, end)
  }

  /// Gives the rows near the screen their cells and takes those of the others back. O(visible rows), and
  /// nothing but arithmetic while they are the same.
  private func updateCells() {
    guard !isUpdating, !isReloadNeeded else { return }
    let wanted = wantedRows()
    guard wanted != rows else { return }
    isUpdating = true
    let old = (rows: rows, cells: cells)
    // The data source finds no cells while they change.
    (rows, cells) = (0..<0, [])
    // First back, then out again, so that a screenful of cells is enough.
    for (row, cell) in zip(old.rows, old.cells) where !wanted.contains(row) { retire(cell) }
    let new = wanted.enumerated().map { index, row in
      old.rows.contains(row) ? old.cells[row - old.rows.lowerBound] : makeCell(for: row, at: index)
    }
    (rows, cells) = (wanted, new)
    isUpdating = false
  }

  private func reloadIfNeeded() {
    guard isReloadNeeded, !isUpdating else { return }
    for cell in cells { retire(cell) }
    cells = []
    rows = 0..<0
    isReloadNeeded = false
    numberOfRows = max(0, dataSource?.numberOfRows(in: self) ?? 0)
    if let selectedRow, selectedRow >= numberOfRows { self.selectedRow = nil }
    contentSize = Size(width: bounds.width, height: Double(numberOfRows) * rowHeight)
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
    contentSize.width = bounds.width
    updateCells()
    for (row, cell) in zip(rows, cells) { cell.frame = place(of: row) }
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

  /// With the focus, Up and Down move the selection and Enter chooses; all other keys scroll.
  open override func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool {
    guard isFocused, modifiers.isEmpty, numberOfRows > 0 else {
      return super.keyDown(key, modifiers: modifiers)
    }
    switch key {
    case .up, .down:
      let current = selectedRow ?? (key == .down ? -1 : numberOfRows)
      let next = min(numberOfRows - 1, max(0, current + (key == .down ? 1 : -1)))
      selectedRow = next
      scrollToRow(next, animated: true)
      return true
    case .enter:
      guard let selectedRow else { return false }
      choose(selectedRow)
      return true
    default: return super.keyDown(key, modifiers: modifiers)
    }
  }
}
