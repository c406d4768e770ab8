/// The kind of a network failure: the step of a transfer that failed.
///
/// A transport maps the codes of its network library to these kinds; the library's text and code are part of the
/// message of `ImageError.transport`.
public enum TransportFailure: Hashable, Sendable, CaseIterable {
  /// The name of the host cannot be resolved.
  case cannotResolveHost
  /// The server refused the connection or cannot be reached.
  case cannotConnect
  /// The TLS handshake failed, but not because the server is not trusted, which is `ImageError.untrustedServer`.
  case secureConnectionFailed
  /// The connection was lost during the request or the response.
  case connectionLost
  /// The body ended before its declared length.
  case truncatedBody
  /// The response is not valid HTTP, or its head is too large.
  case malformedResponse
  /// The response has a content or transfer encoding that was not requested.
  case unexpectedEncoding
  /// The protocol of the response or an option of the request is not supported.
  case unsupported
  /// The URL, a header or a login contains characters that cannot be sent.
  case invalidRequest
  /// Memory, threads or file descriptors are exhausted.
  case outOfResources
  /// The transport itself aborted the transfer.
  case aborted
  /// Another failure, described by the message.
  case other
}
