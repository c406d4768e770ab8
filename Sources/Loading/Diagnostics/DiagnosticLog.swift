import Glibc
import Synchronization
import VitrineGraphics

/// What went wrong where no completion may have heard of it, in one line for a developer.
public struct DiagnosticMessage: Hashable, Sendable, CustomStringConvertible {
  /// What could not do its work: a view with its place and its label, or the disk cache.
  public let subject: String
  /// What failed, and why. Without user names, passwords and keys.
  public let text: String

  package init(subject: String, text: String) {
    self.subject = subject.withoutControlCharacters
    self.text = text.withoutControlCharacters
  }

  /// Subject and text in one line.
  public var description: String { "\(subject): \(text)" }
}

/// The failures that would leave no trace otherwise: an image without a completion, a disk cache that cannot be written.
///
/// With the environment's `VITRINE_LOG=1` each message is a line on standard error. A program that has a log of its own sets
/// a handler instead:
///
/// ```swift
/// DiagnosticLog.handler = { message in journal.write("\(message)") }
/// ```
public enum DiagnosticLog {
  /// Hears of each message.
  public typealias Handler = @Sendable (DiagnosticMessage) -> Void

  private static let box = Mutex<Handler?>(initialHandler)

  /// Called for each message, on the thread where the failure was noticed, often the main one: it must not block. Nil ignores
  /// them; that is the default unless the environment has `VITRINE_LOG=1`.
  public static var handler: Handler? {
    get { box.withLock { $0 } }
    set {
      let old = box.withLock { box in
        defer { box = newValue }
        return box
      }
      _ = old  // released here, outside the lock
    }
  }

  /// Hands a message to the handler. The message is not made where there is none.
  package static func report(_ message: @autoclosure () -> DiagnosticMessage) {
    if let handler { handler(message()) }
  }

  private static var initialHandler: Handler? {
    guard let value = getenv("VITRINE_LOG"), !["", "0"].contains(String(cString: value)) else { return nil }
    return { writeLine($0) }
  }

  private static func writeLine(_ message: DiagnosticMessage) {
    let line = Array("vitrine: \(message)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }
}

extension String {
  /// One line: names and URLs come from outside.
  fileprivate var withoutControlCharacters: String {
    String(map { $0.isNewline || $0.isASCII && ($0.asciiValue ?? 0 < 32 || $0.asciiValue == 127) ? " " : $0 })
  }
}
