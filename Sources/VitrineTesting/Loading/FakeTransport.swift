public import FoundationEssentials
import Synchronization
public import VitrineConcurrency
import VitrineGraphics
public import VitrineLoading

/// A transport without a network: each transfer waits until the test sends its response.
///
/// ```swift
/// let transport = FakeTransport()
/// let downloader = ImageDownloader(transports: [transport], decoder: FakeDecoder())
/// let task = downloader.load(request)
/// let transfer = try await transport.transfer(1)
/// transfer.respond(with: FakeDecoder.encodedImage(width: 8, height: 8))
/// ```
///
/// May be used from any thread. Receivers are called on the thread that sends the response.
public final class FakeTransport: DataTransport {
  private struct State {
    var transfers: [FakeTransfer] = []
    var response: (@Sendable (FakeTransfer) -> Void)?
    var credentials = CredentialDigests()
  }

  /// The URL schemes that the transport fetches; http and https by default.
  public let schemes: Set<String>
  /// True if the transport adds `credentials` to its requests.
  public let addsCredentials: Bool
  private let endsCancelled: Bool
  private let state = Mutex(State())

  /// Creates a transport without transfers.
  ///
  /// - Parameters:
  ///   - schemes: The URL schemes that the transport fetches, in lower case.
  ///   - endsCancelled: True if a cancelled transfer ends at once. Real transports end a cancelled transfer sooner or
  ///     later. If false, the test ends the transfer.
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
  package var credentials: CredentialDigests {
    get { state.withLock { $0.credentials } }
    set { state.withLock { $0.credentials = newValue } }
  }

  /// Returns `credentials` for any URL.
  public func credentialDigests(for url: URL, headers: HTTPHeaders) -> CredentialDigests { credentials }

  /// All transfers so far, in the order of their start.
  public var transfers: [FakeTransfer] { state.withLock { $0.transfers } }

  /// The transfers that have neither ended nor been cancelled.
  public var running: [FakeTransfer] { transfers.filter { !$0.isEnded && !$0.isCancelled } }

  /// Returns the last transfer of `url`, or `nil` if there is none.
  public func transfer(of url: String) -> FakeTransfer? {
    transfers.last { $0.request.url.absoluteString == url }
  }

  /// Waits until `count` transfers have been started since the transport was created.
  ///
  /// Throws a `WaitFailure` after `seconds` of real time, or when the calling task is cancelled, for example by the
  /// test's time limit.
  public func waitUntilStarted(
    _ count: Int, within seconds: Double = 60, file: StaticString = #fileID, line: Int = #line
  ) async throws {
    try await until(within: seconds, file: file, line: line) { transfers.count >= count }
  }

  /// Waits until a transfer has started. Returns the transfer. Transfers are numbered from 1, in the order of their
  /// start.
  ///
  /// Throws a `WaitFailure` after `seconds` of real time, or when the calling task is cancelled, for example by the
  /// test's time limit.
  public func transfer(
    _ number: Int, within seconds: Double = 60, file: StaticString = #fileID, line: Int = #line
  ) async throws -> FakeTransfer {
    guard number >= 1 else {
      throw WaitFailure(location: "\(file):\(line)", reason: "the first transfer has the number 1")
    }
    try await waitUntilStarted(number, within: seconds, file: file, line: line)
    return transfers[number - 1]
  }

  /// Calls `response` with each new transfer from now on, inside `start`.
  public func respondToAll(_ response: @escaping @Sendable (FakeTransfer) -> Void) {
    state.withLock { $0.response = response }
  }

  /// Records a transfer. The test, or the function given to `respondToAll`, sends the response.
  public func start(_ request: TransportRequest, receiver: any TransportReceiver) -> any Cancellable {
    let transfer = FakeTransfer(
      request: request, receiver: receiver, endsCancelled: endsCancelled, credentials: credentials)
    let response = state.withLock { state in
      state.transfers.append(transfer)
      return state.response
    }
    response?(transfer)
    return transfer
  }
}
