import CCurl
import Dispatch
public import FoundationEssentials
import Synchronization
public import VitrineConcurrency
public import VitrineLoading

/// A transport for http and https based on libcurl. Speaks HTTP/1.1, and HTTP/2 over TLS.
///
/// All transfers run on one thread that the transport owns. The thread starts with the first transfer and sleeps while
/// there is nothing to do. Connections and TLS sessions are kept and reused. At most five redirects are followed, never
/// from https to http; a redirect to another origin carries only the Accept and User-Agent headers.
///
///     let transport = CurlTransport()
///     let transfer = transport.start(TransportRequest(url: url), receiver: receiver)
///     transfer.cancel()  // the receiver is told `.failure(.cancelled)`
///
/// By default the transport keeps no cookies, uses no proxy and no credentials, and trusts the servers that the system
/// trusts. It never reads `.netrc`. Requests without an `Accept-Encoding` header ask for the content encoding
/// `identity`; a response that is compressed nevertheless fails with curl's code 61.
public final class CurlTransport: DataTransport {
  /// The schemes that the transport fetches: `http` and `https`.
  public let schemes: Set<String> = ["http", "https"]
  /// An identifier of `Configuration.trust`; empty for the default settings.
  public let trust: String

  private let settings: TransferSettings
  private let ending: EndingThreads
  private let nextID = Atomic<UInt64>(0)
  /// The thread that runs transfers; `nil` before the first transfer and after `stop()`.
  private let thread = Mutex<TransferThread?>(nil)

  /// Creates a transport without starting a thread or opening a connection. Warns if the trust settings are unsafe.
  public convenience init(configuration: Configuration = .init()) {
    self.init(configuration: configuration, optionFilter: nil)
  }

  /// - Parameters:
  ///   - ending: The list of threads that `exit` waits for, another one only in tests.
  ///   - optionFilter: A filter for options, set by tests; `nil` otherwise.
  init(
    configuration: Configuration, ending: EndingThreads = TransferThread.allEnding,
    optionFilter: OptionFilter?
  ) {
    self.ending = ending
    settings = TransferSettings(configuration, optionFilter: optionFilter)
    trust = configuration.trust.identifier
    if let warning = configuration.trust.warning { configuration.warn(warning) }
  }

  deinit { thread.withLock { $0 }?.stop() }

  /// Starts a transfer and returns at once; see `DataTransport`.
  ///
  /// May be called from a receiver. A URL, header or login that cannot be sent is reported to the receiver as a
  /// failure, without opening a connection: `.unsupportedScheme`, `.invalidURL`, or `.transport` with curl's code 43.
  public func start(_ request: TransportRequest, receiver: any TransportReceiver) -> any Cancellable {
    let id = TransferID(number: nextID.add(1, ordering: .relaxed).newValue)
    let command = TransferCommand.start(
      id, TransferArguments(request: request, receiver: receiver, startedAt: .now))
    let inbox = thread.withLock { thread in
      if thread == nil { thread = TransferThread.launch(settings, ending: ending) }
      thread?.inbox.post(command)
      return thread?.inbox
    }
    if inbox == nil { Self.refuse(receiver) }
    return TransferHandle(id: id, inbox: inbox)
  }

  /// True if the configuration has a cookie jar or credentials.
  public var addsCredentials: Bool { settings.addsCredentials }

  /// Returns digests of the cookies in the jar that would be sent to `url` now, and of the credential for the URL's
  /// origin.
  public func credentialDigests(for url: URL, headers: HTTPHeaders) -> CredentialDigests {
    guard addsCredentials, let hop = try? Hop(TransportRequest(url: url, headers: headers)) else {
      return .init()
    }
    var sent = SentCredentials()
    sent.add(hop, settings)
    return sent.digests
  }

  /// Cancels all transfers, closes all connections and ends the thread.
  ///
  /// Waits until the thread has ended, so that every receiver has been told of the end of its transfer when this
  /// returns. When called from a receiver, returns at once. A later `start` creates a new thread. Does nothing if no
  /// thread is running. Releasing the transport does the same without waiting. `exit` waits for the threads of released
  /// transports, for a second at most.
  public func stop() {
    let stopped = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    stopped?.stopAndWait()
  }

  /// Reports to the receiver, on a background thread, that the system has no thread or memory left.
  private static func refuse(_ receiver: any TransportReceiver) {
    DispatchQueue.global().async {
      receiver.transportDidFinish(.failure(.curl(CURLE_OUT_OF_MEMORY)))
    }
  }
}

/// The handle that `start` returns.
private final class TransferHandle: Cancellable {
  private let id: TransferID
  private let inbox: TransferInbox?

  init(id: TransferID, inbox: TransferInbox?) {
    self.id = id
    self.inbox = inbox
  }

  func cancel() { inbox?.post(.cancel(id)) }
}
