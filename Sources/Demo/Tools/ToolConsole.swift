import FoundationEssentials
import Glibc
import Synchronization
import Vitrine

/// The output of a tool: results on standard output, messages and progress on standard error.
nonisolated struct ToolConsole {
  /// The state of standard output, which copies of a console share.
  private final class Output: Sendable {
    let hasFailed = Atomic(false)
  }

  let isJSON: Bool
  private let output = Output()
  private var progress: ProgressLine
  private let clock = SystemLoadingClock()

  init(isJSON: Bool, activity: String) {
    self.isJSON = isJSON
    progress = ProgressLine(activity: activity, isTerminal: isatty(STDERR_FILENO) == 1)
  }

  /// True if a line could not be written to standard output, for example to a full disk.
  var hasOutputFailed: Bool { output.hasFailed.load(ordering: .relaxed) }

  /// Writes a line to standard output. Returns false if the output cannot be written.
  @discardableResult
  func line(_ text: String) -> Bool {
    let isWritten = Self.write(text + "\n", to: STDOUT_FILENO)
    if !isWritten { output.hasFailed.store(true, ordering: .relaxed) }
    return isWritten
  }

  /// Writes a value as JSON and a newline to standard output.
  @discardableResult
  func json(_ value: some Encodable) -> Bool {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else { return false }
    return line(String(decoding: data, as: UTF8.self))
  }

  /// Writes a message to standard error, in a line of its own.
  mutating func message(_ text: String) {
    Self.write(progress.end() + "vitrine: \(text)\n", to: STDERR_FILENO)
  }

  /// Reports progress on standard error, not more often than it can be read.
  mutating func report(_ done: Int, of total: Int?) {
    guard let text = progress.update(done, of: total, at: clock.now) else { return }
    Self.write(text, to: STDERR_FILENO)
  }

  /// Removes the progress bar.
  mutating func endProgress() {
    let text = progress.end()
    if !text.isEmpty { Self.write(text, to: STDERR_FILENO) }
  }

  /// Ends the process because of an interruption. May be called on any thread.
  static func endInterrupted() -> Never {
    let end = isatty(STDERR_FILENO) == 1 ? "\r\u{1B}[K" : ""
    // A full pipe would block this call as well.
    var output = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    if poll(&output, 1, 0) == 1 { write(end + "vitrine: interrupted\n", to: STDERR_FILENO) }
    _exit(1)
  }

  /// Writes all bytes to a descriptor. Returns 0, or the `errno` of the failure.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        guard errno == EINTR else { return errno }
        continue
      }
      rest = rest.dropFirst(count)
    }
    return 0
  }

  @discardableResult
  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    write(Array(text.utf8), to: descriptor) == 0
  }
}
