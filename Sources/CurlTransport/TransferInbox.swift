import Glibc
import VitrineGraphics
import VitrineLoading

/// Tells the transfers of one transport apart.
struct TransferID: Hashable, Sendable {
  let number: UInt64
}

/// A transfer as it was asked for.
struct TransferOrder: Sendable {
  let request: TransportRequest
  let receiver: any TransportReceiver
  let startedAt: SuspendingClock.Instant
}

/// What other threads ask of the loop.
enum TransferCommand: Sendable {
  case start(TransferID, TransferOrder)
  case cancel(TransferID)
  /// A receiver has room again.
  case resume(TransferID)
}

/// The one thing that the loop shares with other threads: commands on their way to it.
final class TransferInbox: Sendable {
  private struct State {
    var commands: [TransferCommand] = []
    var isStopping = false
    /// The loop has taken the last commands.
    var isClosed = false
    /// The loop's thread, which looks here before it sleeps.
    var reader: pthread_t?
  }

  private let state = Shared(State())
  private let alarm: Alarm

  /// Rings the alarm when there is something to take.
  init(ringing alarm: Alarm) {
    self.alarm = alarm
  }

  /// Adds a command and wakes the loop, unless the loop is already awake for an earlier command or is the caller. The
  /// loop checks `hasCommands` before it sleeps. Does nothing after the loop has ended, because its transfers have
  /// ended too.
  func post(_ command: TransferCommand) {
    let sleeps = state.withLock { state in
      guard !state.isClosed else { return false }
      state.commands.append(command)
      return state.commands.count == 1 && state.reader.map { pthread_equal($0, pthread_self()) == 0 } ?? true
    }
    if sleeps { alarm.ring() }
  }

  /// Asks the loop to end.
  func stop() {
    state.withLock { $0.isStopping = true }
    alarm.ring()
  }

  /// True if there are commands to take. The loop must not sleep while this is true, because a command that it posts
  /// from its own thread does not wake it.
  var hasCommands: Bool { state.withLock { !$0.commands.isEmpty } }

  /// The commands since the last call, oldest first, and whether the loop is to end after them; from then on
  /// the inbox takes no more. Called by the loop's thread, before each sleep.
  func take() -> (commands: [TransferCommand], isStopping: Bool) {
    state.withLock { state in
      defer { state.commands = [] }
      state.isClosed = state.isStopping
      state.reader = pthread_self()
      return (state.commands, state.isStopping)
    }
  }
}
