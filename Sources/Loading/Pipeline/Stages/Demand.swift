/// The number of callers that wait for a shared stage, by priority. The stage has the highest of these priorities.
struct Demand {
  /// Stored inline, because all three stages of each load have these counts.
  private var counts = InlineArray<5, Int>(repeating: 0)

  /// The highest priority of the waiting callers; `nil` if no caller waits.
  var priority: ImageRequest.Priority? {
    for index in counts.indices.reversed() where counts[index] > 0 {
      return ImageRequest.Priority(rawValue: index)
    }
    return nil
  }

  /// Replaces the priority of a caller: `old` is `nil` for a caller that joins, `new` is `nil` for a caller that
  /// leaves. Returns the priority of the stage, or `nil` if the priority is unchanged or no caller waits.
  mutating func replace(
    _ old: ImageRequest.Priority?, with new: ImageRequest.Priority?
  ) -> ImageRequest.Priority? {
    let before = priority
    if let old { counts[old.rawValue] -= 1 }
    if let new { counts[new.rawValue] += 1 }
    return priority == before ? nil : priority
  }
}

/// The consequences of a change of the callers' priorities: stages with another priority than before.
struct DemandChange {
  /// The running transform.
  var transform: (number: UInt64, priority: ImageRequest.Priority)?
  /// The running decode.
  var decode: (number: UInt64, priority: ImageRequest.Priority)?
  var fetch: (id: FetchID, priority: ImageRequest.Priority)?
}
