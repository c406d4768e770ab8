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
}

/// The one thing that the loop shares with other threads: commands on their way to it.
final class TransferInbox: Sendable {
  private struct State {
    var commands: [TransferCommand] = []
    var isStopping = false
    /// The loop has taken the last commands.
    var isClosed = false
  }

  private let state = Shared(State())
  private let alarm: Alarm

  /// Rings the alarm for each command.
  init(ringing alarm: Alarm) {
    self.alarm = alarm
  }

  /// Leaves a command and wakes the loop. Nothing happens when the loop has ended: so have its transfers.
  func post(_ command: TransferCommand) {
    state.withLock { state in
      if !state.isClosed { state.commands.append(command) }
    }
    alarm.ring()
  }

  /// Asks the loop to end.
  func stop() {
    state.withLock { $0.isStopping = true }
    alarm.ring()
  }

  /// The commands since the last call, oldest first, and whether the loop is to end after them; from then on
  /// the inbox takes no more.
  func take() -> (commands: [TransferCommand], isStopping: Bool) {
    state.withLock { state in
      defer { state.commands.removeAll() }
      state.isClosed = state.isStopping
      return (state.commands, state.isStopping)
    }
  }
}
