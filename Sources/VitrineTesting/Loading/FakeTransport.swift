public import FoundationEssentials
import Synchronization
import VitrineGraphics
public import VitrineLoading

/// A network that is held still: each transfer waits until the test answers it by hand.
///
/// ```swift
/// let transport = FakeTransport()
/// let downloader = ImageDownloader(transports: [transport], decoder: FakeDecoder())
/// let task = downloader.load(request)
/// await transport.waitUntilStarted(1)
/// transport.transfers[0].answer(with: FakeDecoder.picture(width: 8, height: 8))
/// ```
///
/// May be used from any thread. Receivers are called on the thread that answers.
public final class FakeTransport: DataTransport {
  private struct State {
    var transfers: [FakeTransfer] = []
    var answer: (@Sendable (FakeTransfer) -> Void)?
    var credentials = CredentialDigests()
  }

  /// What it serves; http and https unless others were given.
  public let schemes: Set<String>
  /// True if the transport adds `credentials` to its requests.
  public let addsCredentials: Bool
  private let endsCancelled: Bool
  private let state = Mutex(State())
  private let started = CountWaiters()

  /// A network on which nothing has been asked for.
  ///
  /// - Parameters:
  ///   - schemes: what it serves, in lower case.
  ///   - endsCancelled: whether a cancelled transfer ends at once, as those of real transports do sooner or
  ///     later; if not, the test ends it when it likes.
  ///   - addsCredentials: True if the transport adds `credentials` to its requests.
  public init(
    schemes: Set<String> = ["http", "https"], endsCancelled: Bool = true, addsCredentials: Bool = false
  ) {
    self.schemes = schemes
    self.addsCredentials = addsCredentials
    self.endsCancelled = endsCancelled
  }

  /// Digests of the cookies and the credential that the transport adds to requests from now on. Set them to simulate a
  /// sign-in.
  public var credentials: CredentialDigests {
    get { state.withLock { $0.credentials } }
    set { state.withLock { $0.credentials = newValue } }
  }

  /// Returns `credentials` for any URL.
  public func credentialDigests(for url: URL, headers: HTTPHeaders) -> CredentialDigests { credentials }

  /// All transfers so far, in the order of their start.
  public var transfers: [FakeTransfer] { state.withLock { $0.transfers } }

  /// Those that have neither ended nor been cancelled.
  public var running: [FakeTransfer] { transfers.filter { !$0.isEnded && !$0.isCancelled } }

  /// The last transfer of `url`, if there was one.
  public func transfer(of url: String) -> FakeTransfer? {
    transfers.last { $0.request.url.absoluteString == url }
  }

  /// Returns as soon as `count` transfers have been started since the beginning; at once if they have, or if
  /// the task is cancelled.
  public func waitUntilStarted(_ count: Int) async { await started.wait(for: count) }

  /// From now on answers each new transfer by itself, inside `start`.
  public func answerAll(_ answer: @escaping @Sendable (FakeTransfer) -> Void) {
    state.withLock { $0.answer = answer }
  }

  /// Records the transfer and leaves it to the test, or to `answerAll`.
  public func start(_ request: TransportRequest, receiver: any TransportReceiver) -> any Cancellable {
    let transfer = FakeTransfer(
      request: request, receiver: receiver, endsCancelled: endsCancelled, credentials: credentials)
    let (count, answer) = state.withLock { state in
      state.transfers.append(transfer)
      return (state.transfers.count, state.answer)
    }
    started.set(count)
    answer?(transfer)
    return transfer
  }
}
