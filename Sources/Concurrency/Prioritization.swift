/// The order in which waiting downloads of the same priority start.
public enum Prioritization: Hashable, Sendable {
  /// First in, first out.
  case fifo
  /// Last in, first out, because the user looks at the images that were requested last.
  case lifo
  /// The newest batch first, and within a batch first in, first out: a screen fills from its top, and images that are
  /// scrolled to go before images that were scrolled past. A download that follows another within 5 ms is in the same
  /// batch.
  case newestBatch
}
