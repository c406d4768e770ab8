/// Who waits for a shared stage, counted by priority: the stage has the highest of them.
struct Demand {
  /// In line, since each of the three stages of each load has them.
  private var counts = InlineArray<5, Int>(repeating: 0)

  /// The highest priority of those who wait; nil when nobody does.
  var priority: ImageRequest.Priority? {
    for index in counts.indices.reversed() where counts[index] > 0 {
      return ImageRequest.Priority(rawValue: index)
    }
    return nil
  }

  /// Exchanges a caller's priority: nil before for one who comes, nil after for one who leaves. The stage's
  /// priority, if it is another now and anybody still waits.
  mutating func replace(
    _ old: ImageRequest.Priority?, with new: ImageRequest.Priority?
  ) -> ImageRequest.Priority? {
    let before = priority
    if let old { counts[old.rawValue] -= 1 }
    if let new { counts[new.rawValue] += 1 }
    return priority == before ? nil : priority
  }
}
