import Synchronization

/// Says to a script what is known only once its server is there.
final class ScriptedServerBox: Sendable {
  private let text = Mutex("")

  var url: String { text.withLock { $0 } }

  func set(_ text: String) { self.text.withLock { $0 = text } }
}
