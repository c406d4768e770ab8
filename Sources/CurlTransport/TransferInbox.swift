import CCurl
import Synchronization
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
    /// Nil once the loop has ended and the multi handle may be gone.
    var alarm: Alarm?
  }

  private let state: Mutex<State>

  init(waking multi: UnsafeMutableRawPointer) {
    let alarm = Alarm(multi: multi)
    state = Mutex(State(alarm: alarm))
  }

  /// Leaves a command and wakes the loop. Nothing happens when the loop has ended: so have its transfers.
  func post(_ command: TransferCommand) {
    state.withLock { state in
      guard let alarm = state.alarm else { return }
      state.commands.append(command)
      alarm.ring()
    }
  }

  /// Asks the loop to end.
  func stop() {
    state.withLock { state in
      state.isStopping = true
      state.alarm?.ring()
    }
  }

  /// The commands since the last call, oldest first, and whether the loop is to end after them; from then on
  /// the inbox takes no more.
  func take() -> (commands: [TransferCommand], isStopping: Bool) {
    state.withLock { state in
      defer { state.commands.removeAll() }
      if state.isStopping { state.alarm = nil }
      return (state.commands, state.isStopping)
    }
  }
}

/// Ends the sleep of the thread that runs a multi handle.
///
/// Safe to send: `curl_multi_wakeup` is the one function of a multi handle that any thread may call at any
/// time, and the inbox forgets the alarm, under its lock, before the loop frees the handle.
private struct Alarm: @unchecked Sendable {
  let multi: UnsafeMutableRawPointer

  func ring() { curl_multi_wakeup(multi) }
}
