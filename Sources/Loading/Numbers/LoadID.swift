/// The number of a caller or of a stage of a load. Numbers are never reused, so that a late result for a stage that has
/// ended has no effect.
struct LoadID<Kind>: Hashable, Comparable, Sendable {
  let number: UInt64

  static func < (a: LoadID, b: LoadID) -> Bool { a.number < b.number }
}

/// The number of one waiting caller.
typealias TaskID = LoadID<TaskKind>
typealias FetchID = LoadID<FetchKind>
typealias DecodeID = LoadID<DecodeKind>
typealias ProcessedImageID = LoadID<ProcessedImageKind>

// Types of their own in place of the types of the stages, so that the download queue does not depend on the stages.
enum TaskKind {}
enum FetchKind {}
enum DecodeKind {}
enum ProcessedImageKind {}
