import CCurl
import Dispatch
public import FoundationEssentials
import Synchronization
public import VitrineLoading

/// Fetches over http and https with libcurl: HTTP/1.1, and HTTP/2 over TLS.
///
/// All transfers run on one thread of the transport's own, which starts with the first of them and sleeps
/// while there is nothing to do. Connections and TLS sessions are kept and reused. A redirect is followed
/// five times at most, never from https to http, and takes only Accept and User-Agent along to another
/// origin.
///
///     let transport = CurlTransport()
///     let transfer = transport.start(TransportRequest(url: url), receiver: receiver)
///     transfer.cancel()  // the receiver hears `.failure(.cancelled)`
///
/// Unless its configuration says otherwise, it keeps no cookies, uses no proxy and no credentials, and
/// trusts the servers that the system trusts. It never reads `.netrc`. Requests without an `Accept-Encoding` header ask
/// for the content encoding `identity`; a response that is compressed nevertheless fails with curl's code 61.
public final class CurlTransport: DataTransport {
  /// `http` and `https`.
  public let schemes: Set<String> = ["http", "https"]
  /// An identifier of `Configuration.trust`.
  public let trust: String

  private let settings: TransferSettings
  private let nextID = Atomic<UInt64>(0)
  /// The loop that takes transfers; nil before the first of them and after `stop()`.
  private let loop = Mutex<TransferThread?>(nil)

  /// Makes a transport that does nothing yet: no thread, no connection. Warns if it is to trust anybody.
  public convenience init(configuration: Configuration = .init()) {
    self.init(configuration: configuration, optionFilter: nil)
  }

  init(configuration: Configuration, optionFilter: OptionFilter?) {
    settings = TransferSettings(configuration, optionFilter: optionFilter)
    trust = configuration.trust.identifier
    if let warning = configuration.trust.warning { configuration.warn(warning) }
  }

  deinit {
    loop.withLock { $0 }?.stop()
  }

  /// Starts a transfer and returns at once; see `DataTransport`.
  ///
  /// May be called from a receiver. An URL, a header or a login that cannot be sent is heard of as a failure, and no
  /// connection is made for it: `.unsupportedScheme`, `.invalidURL`, or `.transport` with curl's code 43.
  public func start(_ request: TransportRequest, receiver: any TransportReceiver) -> any Cancellable {
    let id = TransferID(number: nextID.add(1, ordering: .relaxed).newValue)
    let command = TransferCommand.start(
      id, TransferOrder(request: request, receiver: receiver, startedAt: .now))
    let inbox = loop.withLock { loop in
      if loop == nil { loop = TransferThread.launch(settings) }
      loop?.inbox.post(command)
      return loop?.inbox
    }
    if inbox == nil { Self.refuse(receiver) }
    return TransferHandle(id: id, inbox: inbox)
  }

  /// True if the configuration has a cookie jar or credentials.
  public var addsCredentials: Bool { settings.addsCredentials }

  /// Returns digests of the cookies in the jar that would be sent to `url` now, and of the credential for its origin.
  public func credentialDigests(for url: URL, headers: HTTPHeaders) -> CredentialDigests {
    guard addsCredentials, let hop = try? Hop(TransportRequest(url: url, headers: headers)) else {
      return .init()
    }
    var sent = SentCredentials()
    sent.add(hop, settings)
    return sent.digests
  }

  /// Cancels what is under way, closes all connections and ends the thread.
  ///
  /// Waits until the thread is gone, so every receiver has heard its end by then; called from a receiver it
  /// cannot wait and returns at once. A later `start` begins with a new thread. Stopping when nothing runs
  /// does nothing. Without this call the same happens, unwaited for, when the transport is released.
  public func stop() {
    let stopped = loop.withLock { loop in
      defer { loop = nil }
      return loop
    }
    stopped?.stopAndWait()
  }

  /// Tells a receiver that the machine has no thread or no memory left, on a thread that is not the caller's.
  private static func refuse(_ receiver: any TransportReceiver) {
    DispatchQueue.global().async {
      receiver.transportDidFinish(.failure(.curl(CURLE_OUT_OF_MEMORY)))
    }
  }
}

/// What `start` hands out.
private final class TransferHandle: Cancellable {
  private let id: TransferID
  private let inbox: TransferInbox?

  init(id: TransferID, inbox: TransferInbox?) {
    self.id = id
    self.inbox = inbox
  }

  func cancel() { inbox?.post(.cancel(id)) }
}
