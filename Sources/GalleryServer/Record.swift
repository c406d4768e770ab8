/// A request that a gallery server received, and the progress of the response.
package struct Record: Sendable, Hashable {
  /// The method, for example `GET`; empty if the request could not be parsed.
  package let method: String

  /// The path with the query, as received; empty if the request could not be parsed.
  package let target: String

  /// The request's headers by name in lower case. The values of a repeated header are joined by a comma and a space
  /// (RFC 9110, section 5.2).
  package let headers: [String: String]

  /// The number of the request's connection. The first accepted connection is 1.
  package let connection: Int

  /// The status of the response; 0 if it had none, as with `garbage=1`.
  package let status: Int

  /// The number of body bytes, without headers and chunk sizes, that were written to the socket so far. The client may
  /// have received less: socket buffers hold up to several megabytes.
  package internal(set) var bodyBytesSent = 0

  package internal(set) var outcome = Outcome.running

  /// True if all of the response was sent, including planned faults: a response that is cut on request is finished when
  /// the cut is reached. True by the time the client has received the last byte.
  package var wasFinished: Bool { outcome == .finished }

  package enum Outcome: Sendable, Hashable {
    /// The response is waiting, being sent or stalled.
    case running

    /// The response was sent as planned.
    case finished

    /// The client closed the connection before the end.
    case abandoned

    /// The server stopped before the end, or aborted a response that stalled.
    case stopped
  }
}
