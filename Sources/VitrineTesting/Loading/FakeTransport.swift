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
/// let transfer = try await transport.transfer(1)
/// transfer.answer(with: FakeDecoder.picture(width: 8, height: 8))
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

  /// Waits until `count` transfers have been started since the beginning.
  ///
  /// - Parameter seconds: The real time in seconds after which the wait throws a `WaitFailure`. It also does when its
  ///   task is cancelled, for example by the test's time limit.
  public func waitUntilStarted(
    _ count: Int, within seconds: Double = 60, file: StaticString = #fileID, line: Int = #line
  ) async throws {
    try await until(within: seconds, file: file, line: line) { transfers.count >= count }
  }

  /// Waits for a transfer to start, and returns it.
  ///
  /// - Parameters:
  ///   - number: The number of the transfer in the order of the starts. The first one is 1.
  ///   - seconds: The real time in seconds after which the wait throws a `WaitFailure`. It also does when its task is
  ///     cancelled, for example by the test's time limit.
  public func transfer(
    _ number: Int, within seconds: Double = 60, file: StaticString = #fileID, line: Int = #line
  ) async throws -> FakeTransfer {
    guard number >= 1 else {
      throw WaitFailure(place: "\(file):\(line)", reason: "the first transfer has the number 1")
    }
    try await waitUntilStarted(number, within: seconds, file: file, line: line)
    return transfers[number - 1]
  }

  /// From now on answers each new transfer by itself, inside `start`.
  public func answerAll(_ answer: @escaping @Sendable (FakeTransfer) -> Void) {
    state.withLock { $0.answer = answer }
  }

  /// Records the transfer and leaves it to the test, or to `answerAll`.
  public func start(_ request: TransportRequest, receiver: any TransportReceiver) -> any Cancellable {
    let transfer = FakeTransfer(
      request: request, receiver: receiver, endsCancelled: endsCancelled, credentials: credentials)
    let answer = state.withLock { state in
      state.transfers.append(transfer)
      return state.answer
    }
    answer?(transfer)
    return transfer
  }
}
