import Glibc
import Synchronization
import VitrineConcurrency
import VitrineGraphics

/// A one-line message for developers about a failure that may have reached no completion.
public struct DiagnosticMessage: Hashable, Sendable, CustomStringConvertible {
  /// The failing part: a view with its position and label, or the disk cache.
  public let subject: String
  /// The failure with the reason, without user names, passwords and keys.
  public let text: String

  package init(subject: String, text: String) {
    self.subject = subject.withoutControlCharacters
    self.text = text.withoutControlCharacters
  }

  /// The subject and the text in one line.
  public var description: String { "\(subject): \(text)" }
}

/// The log of failures that no completion receives, such as an image loaded without a completion or a disk cache that
/// cannot be written.
///
/// If the environment variable `VITRINE_LOG` is set and is neither empty nor 0, each message is written to standard
/// error. An application with a log of its own sets a handler instead:
///
/// ```swift
/// DiagnosticLog.handler = { message in journal.write("\(message)") }
/// ```
public enum DiagnosticLog {
  /// A function that receives each message.
  public typealias Handler = @Sendable (DiagnosticMessage) -> Void

  private static let box = Mutex<Handler?>(initialHandler)

  /// A function that receives each message, on the thread where the failure was detected, often the main thread: the
  /// handler must not block. Nil, the default unless `VITRINE_LOG` is set, ignores messages.
  public static var handler: Handler? {
    get { box.withLock { $0 } }
    set { box.replaceValue(with: newValue) }
  }

  /// Passes a message to the handler. The message is only built if there is a handler.
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
  /// The text without control characters, so that names and URLs from outside stay on one line.
  fileprivate var withoutControlCharacters: String {
    String(map { $0.isNewline || $0.unicodeScalars.first?.properties.generalCategory == .control ? " " : $0 })
  }
}
