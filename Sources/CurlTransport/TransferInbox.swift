import Glibc
import VitrineConcurrency
import VitrineGraphics
import VitrineLoading

/// An identifier of a transfer within one transport.
struct TransferID: Hashable, Sendable { let number: UInt64 }

/// The arguments with which a transfer was started. A class, because commands are copied several times.
final class TransferArguments: Sendable {
  let request: TransportRequest
  let receiver: any TransportReceiver
  let startedAt: TransferInstant

  init(request: TransportRequest, receiver: any TransportReceiver, startedAt: TransferInstant) {
    self.request = request
    self.receiver = receiver
    self.startedAt = startedAt
  }
}

/// A command from another thread to the loop.
enum TransferCommand: Sendable {
  case start(TransferID, TransferArguments)
  case cancel(TransferID)
  /// The receiver of a paused transfer has room again.
  case resume(TransferID)
}

/// The queue of commands to the loop. The only state that the loop shares with other threads.
final class TransferInbox: Sendable {
  private struct State {
    var commands: [TransferCommand] = []
    var isStopping = false
    /// True after the loop has taken the last commands.
    var isClosed = false
    /// The loop's thread; `nil` before its first call of `takeCommands()`.
    var reader: pthread_t?
  }

  private let state = Shared(State())
  private let wakeup: WakeupPipe

  /// Creates an inbox that rings `wakeup` to wake the loop.
  init(ringing wakeup: WakeupPipe) { self.wakeup = wakeup }

  /// Adds a command and wakes the loop, unless the loop is already awake for an earlier command or is the caller. The
  /// loop checks `hasCommands` before it sleeps. Does nothing after the loop has ended, because its transfers have
  /// ended too.
  func post(_ command: TransferCommand) {
    let needsWakeup = state.withLock { state in
      guard !state.isClosed else { return false }
      state.commands.append(command)
      return state.commands.count == 1 && state.reader.map { pthread_equal($0, pthread_self()) == 0 } ?? true
    }
    if needsWakeup { wakeup.ring() }
  }

  /// Wakes the loop and asks the loop to end.
  func stop() {
    state.withLock { $0.isStopping = true }
    wakeup.ring()
  }

  /// True if there are commands to take. The loop must not sleep while this is true, because a command that it posts
  /// from its own thread does not wake it.
  var hasCommands: Bool { state.withLock { !$0.commands.isEmpty } }

  /// Returns and removes the queued commands, oldest first, and whether the loop must end after these commands. If so,
  /// the inbox ignores later commands. Called by the loop's thread after libcurl has worked.
  func takeCommands() -> (commands: [TransferCommand], isStopping: Bool) {
    state.withLock { state in
      defer { state.commands = [] }
      state.isClosed = state.isStopping
      state.reader = pthread_self()
      return (state.commands, state.isStopping)
    }
  }
}
