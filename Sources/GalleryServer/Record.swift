/// One request that a gallery server got, and how far its answer came.
public struct Record: Sendable, Hashable {
  /// The method, `GET` for instance; empty when the request could not be parsed.
  public let method: String

  /// The path with its query, as it was sent; empty when the request could not be parsed.
  public let target: String

  /// The request's headers by name in lower case; a name that came several times has its values joined
  /// by a comma and a space (RFC 9110, section 5.2).
  public let headers: [String: String]

  /// The number of the connection that the request came on; the first one accepted is 1.
  public let connection: Int

  /// The status of the answer; 0 when it had none, as with `garbage=1`.
  public let status: Int

  /// How many bytes of the body the system took so far, without headers and chunk sizes. It may run ahead
  /// of the reader by what the socket buffers hold, several megabytes at most.
  public internal(set) var bodyBytesSent = 0

  /// What became of the answer.
  public internal(set) var outcome = Outcome.running

  /// Whether all of the answer left, its faults included: one that is cut on request is finished when the
  /// cut is reached. A reader who has the last byte finds this true.
  public var wasFinished: Bool { outcome == .finished }

  /// What became of an answer.
  public enum Outcome: Sendable, Hashable {
    /// It waits, sends or stalls.
    case running

    /// It left as it was planned.
    case finished

    /// The reader went away before the end.
    case abandoned

    /// The server stopped before the end, or gave up an answer that stalled.
    case stopped
  }
}
