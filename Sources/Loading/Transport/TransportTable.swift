import FoundationEssentials
import Synchronization
import VitrineConcurrency

/// The transports of a downloader, which may be replaced at any time.
final class TransportTable: Sendable {
  private let router: Shared<TransportRouter>
  /// True if a transport adds cookies or credentials of its own. Read with each request, without a lock.
  private let hasCredentials: Atomic<Bool>

  init(_ transports: [any DataTransport]) {
    router = Shared(TransportRouter(transports))
    hasCredentials = Atomic(transports.contains { $0.addsCredentials })
  }

  /// The transports in order: the first that serves a scheme is used.
  var all: [any DataTransport] {
    get { router.withLock { $0.transports } }
    set {
      router.releaseAfterLock { router in
        defer { router = TransportRouter(newValue) }
        return router
      }
      hasCredentials.store(newValue.contains { $0.addsCredentials }, ordering: .relaxed)
    }
  }

  /// Returns the transport of a URL. Throws `.invalidURL` for a relative URL, and `.unsupportedScheme` for a scheme
  /// that no transport serves.
  func transport(for url: URL) throws(ImageError) -> any DataTransport {
    try router.withLock { $0 }.transport(for: url)
  }

  /// True if a transport adds cookies or credentials of its own.
  var addsCredentials: Bool { hasCredentials.load(ordering: .relaxed) }

  /// Returns digests of the credentials that the transport of a request would add now.
  func credentials(for request: ImageRequest) -> CredentialDigests {
    let transport = try? transport(for: request.url)
    return transport?.credentialDigests(for: request.url, headers: request.headers) ?? .init()
  }

  /// Returns the identity under which the disk stores a response. Includes the trust settings of the transport.
  func onDisk(_ identity: RequestIdentity) -> RequestIdentity {
    identity.onDisk(trust: (try? transport(for: identity.fullURL))?.trust ?? "")
  }
}
