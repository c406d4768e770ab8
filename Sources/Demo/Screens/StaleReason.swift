import Vitrine

/// The reason why a stored image is shown that may be outdated, for the status line.
nonisolated enum StaleReason: CaseIterable {
  /// The server has not responded yet.
  case waiting
  /// The program was offline when the image was loaded (`--offline`).
  case offline
  /// There is no connection to the server, the server did not respond in time, or the proxy failed.
  case unreachable
  /// The server could not prove who it is.
  case untrusted
  /// The server reports that the image does not exist.
  case missing
  /// The server reports that this client may not have the image.
  case forbidden
  /// The server reports another error.
  case failing
  /// The image exceeds a limit or the memory of the program.
  case tooLarge
  /// The server has sent bytes that are not an image, or a damaged image.
  case damaged
  /// A file on this machine does not exist, or cannot be read.
  case unreadableFile
  /// A file on this machine is not an image, or is damaged.
  case damagedFile
  /// An error of another kind, such as a lack of memory.
  case other

  /// Creates the reason for an error; `nil` stands for a server that has not responded yet.
  ///
  /// - Parameter url: The URL of the image. A file has reasons of its own.
  init(_ error: ImageError?, of url: String = "") {
    let isFile = url.hasPrefix("file:")
    self =
      switch error {
      case nil: .waiting
      case .unreadableFile: .unreadableFile
      case .transport where isFile: .unreadableFile
      case .emptyBody where isFile, .notAnImage where isFile, .decoding where isFile: .damagedFile
      case .offline: .offline
      case .transport(.cannotResolveHost, _), .transport(.cannotConnect, _), .transport(.connectionLost, _),
        .transport(.secureConnectionFailed, _), .timedOut, .proxyFailed:
        .unreachable
      case .transport(.truncatedBody, _), .transport(.malformedResponse, _),
        .transport(.unexpectedEncoding, _), .emptyBody, .notAnImage, .decoding, .contentType:
        .damaged
      case .untrustedServer: .untrusted
      case .status(404), .status(410): .missing
      case .status(401), .status(403), .status(451): .forbidden
      case .status: .failing
      // An image for which there is no room at the moment is not too large.
      case .tooLarge(.memory(let needed, let allowed)) where needed <= allowed: .other
      case .tooLarge: .tooLarge
      default: .other
      }
  }

  /// The reason in words.
  var text: String {
    switch self {
    case .waiting: "the server has not responded yet"
    case .offline: "no request was sent"
    case .unreachable: "the server cannot be reached"
    case .untrusted: "the server is not trusted"
    case .missing: "the server has no such image"
    case .forbidden: "the server denies access"
    case .failing: "the server reports an error"
    case .tooLarge: "the image is too large"
    case .damaged: "the server sends no valid image"
    case .unreadableFile: "the file cannot be read"
    case .damagedFile: "the file is not a valid image"
    case .other: "loading again has failed"
    }
  }
}
