import CCurl
import Glibc
import VitrineConcurrency
import VitrineLoading

/// Runs all transfers of a transport on one multi handle: takes commands, lets libcurl work, and sleeps.
///
/// Created on one thread and handed to another, which is then its only user. Only `inbox` is shared between threads.
final class TransferLoop {
  let inbox: TransferInbox
  private let multi: MultiHandle
  private let wakeup: WakeupPipe
  private let watch = DeadlineWatch()
  private let settings: TransferSettings
  /// The running transfers. Swift does not check this property and the next two for overlapping accesses, because the
  /// checks are slow. No access overlaps another, because nothing that uses this loop is called during an access.
  @exclusivity(unchecked) private var transfers = RunningTransfers()
  /// Easy handles without a transfer, kept because reuse is faster than creation.
  @exclusivity(unchecked) private var idleHandles: [EasyHandle] = []
  /// The easy handles whose transfers libcurl has not begun yet, so that it still reports the figures of earlier ones.
  @exclusivity(unchecked) private var addedHandles: [EasyHandle] = []
  /// The shared TLS sessions, and cookies if there is a jar.
  private let share: ShareHandle
  private static let idleHandleLimit = 16
  /// The maximum number of transfers on one HTTP/2 connection. A server may set a lower limit.
  static let streamLimit = 100

  /// The result of libcurl's global initialization, which runs once per process.
  private static let globalInit = {
    let code = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    // OpenSSL has registered its cleanup by now. Functions that are registered later are called earlier.
    atexit { TransferThread.joinAtExit() }
    return code
  }()

  /// Returns `nil` if no file descriptor or memory is available.
  init?(_ settings: TransferSettings) {
    guard Self.globalInit == CURLE_OK, let multi = MultiHandle(), let wakeup = WakeupPipe() else {
      return nil
    }
    self.multi = multi
    self.settings = settings
    share = settings.configuration.cookies?.share ?? ShareHandle([CURL_LOCK_DATA_SSL_SESSION])
    self.wakeup = wakeup
    inbox = TransferInbox(ringing: wakeup)
    let perHost = min(max(1, settings.configuration.connectionsPerHost), 1000)
    _ = vitrine_curl_multi_set_long(multi.pointer, CURLMOPT_MAX_HOST_CONNECTIONS, perHost)
    _ = vitrine_curl_multi_set_long(multi.pointer, CURLMOPT_MAX_CONCURRENT_STREAMS, Self.streamLimit)
    _ = vitrine_curl_multi_set_long(multi.pointer, CURLMOPT_MAXCONNECTS, 8 * perHost)
  }

  /// Runs until the inbox says to stop, then cancels the remaining transfers, so that every receiver has been told of
  /// the end of its transfer when this returns.
  func run() {
    var isStopping = false
    while !isStopping {
      // Without transfers, `watch` may still have the deadline of a cancelled one, for which no thread need wake up.
      let earliest = transfers.isEmpty ? nil : watch.earliest
      // A transfer may fail as soon as it starts, and its receiver may then start another one from this thread.
      let deadline = inbox.hasCommands ? TransferInstant.now : earliest
      let result = multi.wait(for: wakeup, until: deadline) { inbox.hasCommands }
      // The next requests are sent before other threads are woken, so that the server need not wait. libcurl opens
      // connections without blocking, and reads certificates in `wait`.
      WakeBatch.run {
        endTransfers(after: result)
        endTransfersThatAreLate()
        isStopping = carryOutCommands()
      }
    }
    for transfer in transfers.all { breakOff(transfer.id, .cancelled) }
  }

  /// Ends the transfers that are done after libcurl has worked, or all transfers if it has failed.
  private func endTransfers(after result: CURLMcode) {
    endAll(ifFailed: result)
    noteBegunTransfers()
    endTransfersThatAreDone()
  }

  /// Carries out the commands, and sends the requests of new transfers. Returns true if the loop must end.
  private func carryOutCommands() -> Bool {
    var (commands, isStopping) = inbox.takeCommands()
    for command in commands { carryOut(command) }
    guard !commands.isEmpty, !isStopping else { return isStopping }
    endTransfers(after: multi.actOnTimer())
    // A receiver that was called meanwhile may have cancelled its transfer, which must not receive more.
    (commands, isStopping) = inbox.takeCommands()
    for command in commands { carryOut(command) }
    return isStopping
  }

  private func carryOut(_ command: TransferCommand) {
    switch command {
    case .start(let id, let arguments): start(id, arguments)
    case .cancel(let id): breakOff(id, .cancelled)
    case .resume(let id):
      guard let transfer = transfers[id], let next = transfer.resume() else { return }
      proceed(transfer, next)
    }
  }

  private func start(_ id: TransferID, _ arguments: TransferArguments) {
    do throws(ImageError) {
      let hop = try Hop(arguments.request)
      guard let easy = idleHandles.popLast() ?? EasyHandle(sharing: share, filter: settings.optionFilter)
      else {
        throw .curl(CURLE_OUT_OF_MEMORY)
      }
      let transfer = Transfer(
        id, arguments, hop: hop, on: easy, watch: watch, settings: settings,
        requestResume: { [inbox] in inbox.post(.resume(id)) })
      transfers.insert(transfer)
      sendRequest(of: transfer)
    } catch {
      arguments.receiver.transportDidFinish(.failure(error))
    }
  }

  /// Adds the transfer's next request to the multi handle, or ends the transfer if the request cannot be sent.
  private func sendRequest(of transfer: Transfer) {
    do throws(ImageError) {
      try transfer.prepare()
      let result = curl_multi_add_handle(multi.pointer, transfer.easy.pointer)
      guard result == CURLM_OK else { throw .multi(result) }
      if transfer.easy.isReportOutdated { addedHandles.append(transfer.easy) }
    } catch {
      finish(transfer.id, error)
    }
  }

  /// Notes that libcurl has begun the transfers that were added before it last handled its timers.
  private func noteBegunTransfers() {
    guard multi.hasActed, !addedHandles.isEmpty else { return }
    for easy in addedHandles { easy.isReportOutdated = false }
    addedHandles.removeAll(keepingCapacity: true)
  }

  private func endTransfersThatAreDone() {
    var remainingCount: Int32 = 0
    while let message = curl_multi_info_read(multi.pointer, &remainingCount) {
      // The fields of the message are copied first: removing the handle frees the message.
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
      let code = message.pointee.data.result
      guard let transfer = transfers.transfer(on: easy) else { continue }
      proceed(transfer, transfer.end(code))
    }
  }

  private func endTransfersThatAreLate() {
    guard let earliest = watch.earliest else { return }
    let now = TransferInstant.now
    guard earliest <= now || transfers.isEmpty else { return }
    var needsCheck = false
    for transfer in transfers.all where transfer.wakeTime.map({ $0 <= now }) ?? false {
      if transfer.deadline.map({ $0 <= now }) ?? false {
        proceed(transfer, transfer.expire())
      } else if transfer.takeConnectCheck(at: now) {
        needsCheck = true
      }
    }
    if needsCheck {
      endAll(ifFailed: multi.checkLimits())
      noteBegunTransfers()
      endTransfersThatAreDone()
    }
    watch.renew(transfers.all.lazy.compactMap(\.wakeTime))
  }

  private func proceed(_ transfer: Transfer, _ next: TransferState.Next) {
    switch next {
    case .request:
      remove(transfer.easy)
      sendRequest(of: transfer)
    case .wait: remove(transfer.easy)
    case .succeed: finish(transfer.id, nil)
    case .fail(let error):
      finish(transfer.id, error)
      if case .timedOut(.connect) = error { limitWaitingTransfers(for: transfer.origin) }
    }
  }

  /// Removes a handle whose hop has ended before the transfer. The next hop starts from a reset handle.
  private func remove(_ easy: EasyHandle) {
    curl_multi_remove_handle(multi.pointer, easy.pointer)
    easy.family = nil
  }

  /// Limits the time to connect of the other transfers to an origin after one transfer timed out connecting.
  ///
  /// Over HTTP/2 transfers wait for the connection that one of them opens, and libcurl does not count that time. If the
  /// connection fails, each waiting transfer in turn would otherwise try for the full limit again.
  private func limitWaitingTransfers(for origin: WebAddress.Origin) {
    let others = transfers.all.filter { $0.origin == origin }
    guard !others.contains(where: \.isConnected) else { return }
    for transfer in others { transfer.connectionWasNotMade() }
  }

  private func breakOff(_ id: TransferID, _ error: ImageError) {
    transfers[id]?.breakOff()
    finish(id, error)
  }

  /// Ends a transfer: removes it, makes its easy handle available to other transfers, then tells the receiver. Does
  /// nothing if the transfer has already ended.
  private func finish(_ id: TransferID, _ error: ImageError?) {
    guard let transfer = transfers.remove(id) else { return }
    let metrics = transfer.metrics
    let easy = transfer.easy
    curl_multi_remove_handle(multi.pointer, easy.pointer)
    easy.endTransfer(keepsOptions: error == nil)
    if easy.isReusable, idleHandles.count < Self.idleHandleLimit { idleHandles.append(easy) }
    transfer.finish(error, metrics)
  }

  private func endAll(ifFailed result: CURLMcode) {
    guard result != CURLM_OK else { return }
    for transfer in transfers.all { breakOff(transfer.id, .multi(result)) }
  }
}

extension ImageError {
  /// Creates an error for a failure of the multi handle, which means that memory or file descriptors are exhausted.
  fileprivate static func multi(_ code: CURLMcode) -> ImageError {
    .transport(.outOfResources, message: String(cString: curl_multi_strerror(code)))
  }
}
