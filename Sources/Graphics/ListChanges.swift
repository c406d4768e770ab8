/// The difference between two lists: the rows that were removed, inserted and moved, and the new numbers of the others.
///
/// ```swift
/// let changes = ListChanges(from: ["a", "b", "c"], to: ["c", "a", "d"])
/// changes.removals   // [1], in the numbers of the old list
/// changes.insertions // [2], in the numbers of the new list
/// changes.newRow(of: 2) // 0
/// ```
///
/// Rows are matched by an identifier, for example a URL. Rows at the beginning and at the end that are equal in both
/// lists stay; between them, repeated identifiers are matched in the order of their occurrence. As few rows as possible
/// count as moved. O(n log n) for n rows, and O(n) if no row is moved.
public struct ListChanges: Hashable, Sendable {
  /// The number of rows in the old list.
  public let oldCount: Int
  /// The number of rows in the new list.
  public let newCount: Int
  /// The number of rows at the beginning that are equal in both lists.
  private let head: Int
  /// The number of rows at the end that are equal in both lists.
  private let tail: Int
  /// The matches of the rows between `head` and `tail`.
  private var matches: ListMatches

  /// Creates the changes of a list that stays as it is.
  public init(unchanged count: Int = 0) {
    (oldCount, newCount) = (count, count)
    (head, tail) = (count, 0)
    matches = ListMatches(oldCount: 0, newCount: 0)
  }

  /// Creates the changes of a list all of whose rows are replaced.
  public init(replacing oldCount: Int, by newCount: Int) {
    (self.oldCount, self.newCount) = (max(0, oldCount), max(0, newCount))
    (head, tail) = (0, 0)
    matches = ListMatches(oldCount: self.oldCount, newCount: self.newCount)
  }

  /// Compares the identifiers of the rows of two lists.
  public init<ID: Hashable>(
    from old: some RandomAccessCollection<ID>, to new: some RandomAccessCollection<ID>
  ) {
    self.init(
      oldCount: old.count, newCount: new.count,
      oldID: { old[old.index(old.startIndex, offsetBy: $0)] },
      newID: { new[new.index(new.startIndex, offsetBy: $0)] })
  }

  /// Compares the identifiers of the rows of two lists, which two functions return.
  ///
  /// - Parameter isSame: Returns true if two rows have equal identifiers, for identifiers that are slow to create;
  ///   `nil` compares the identifiers.
  package init<ID: Hashable>(
    oldCount: Int, newCount: Int, isSame: ((_ old: Int, _ new: Int) -> Bool)? = nil, oldID: (Int) -> ID,
    newID: (Int) -> ID
  ) {
    func areSame(_ old: Int, _ new: Int) -> Bool { isSame?(old, new) ?? (oldID(old) == newID(new)) }
    let shorter = min(oldCount, newCount)
    var head = 0
    while head < shorter, areSame(head, head) { head += 1 }
    var tail = 0
    while head + tail < shorter, areSame(oldCount - 1 - tail, newCount - 1 - tail) { tail += 1 }
    self.oldCount = oldCount
    self.newCount = newCount
    (self.head, self.tail) = (head, tail)
    matches = ListMatches(oldCount: oldCount - head - tail, newCount: newCount - head - tail)
    matches.match(oldID: { [head] in oldID(head + $0) }, newID: { [head] in newID(head + $0) })
  }

  // MARK: Rows

  /// Returns the number of an old row in the new list; `nil` if the row was removed or does not exist.
  public func newRow(of oldRow: Int) -> Int? {
    guard oldRow >= 0, oldRow < oldCount else { return nil }
    if oldRow < head { return oldRow }
    if oldRow >= oldCount - tail { return newCount - (oldCount - oldRow) }
    return matches.newRow(of: oldRow - head).map { $0 + head }
  }

  /// Returns the number that a new row had in the old list; `nil` if the row was inserted or does not exist.
  public func oldRow(of newRow: Int) -> Int? {
    guard newRow >= 0, newRow < newCount else { return nil }
    if newRow < head { return newRow }
    if newRow >= newCount - tail { return oldCount - (newCount - newRow) }
    return matches.oldRow(of: newRow - head).map { $0 + head }
  }

  /// Returns true if an old row is in the new list, at another place among the rows that both lists have.
  public func isMoved(_ oldRow: Int) -> Bool {
    oldRow >= head && oldRow < oldCount - tail && matches.isMoved(oldRow - head)
  }

  /// True if each row of the old list has the same number in the new list, and there are no other rows.
  public var isEmpty: Bool { head == oldCount && head == newCount }

  // MARK: Lists of changes

  /// The removed rows, in the numbers of the old list, in ascending order. O(n) for n rows that differ.
  public var removals: [Int] { (head..<(oldCount - tail)).filter { newRow(of: $0) == nil } }
  /// The inserted rows, in the numbers of the new list, in ascending order. O(n) for n rows that differ.
  public var insertions: [Int] { (head..<(newCount - tail)).filter { oldRow(of: $0) == nil } }
  /// The old and new numbers of the moved rows, in the order of the old list. O(n) for n rows that differ.
  public var moves: [Move] {
    (head..<(oldCount - tail)).compactMap { old in
      isMoved(old) ? newRow(of: old).map { Move(from: old, to: $0) } : nil
    }
  }

  /// The old and the new number of a moved row.
  public struct Move: Hashable, Sendable {
    /// The number of the row in the old list.
    public let from: Int
    /// The number of the row in the new list.
    public let to: Int

    /// Creates a move.
    public init(from: Int, to: Int) {
      self.from = from
      self.to = to
    }
  }
}
