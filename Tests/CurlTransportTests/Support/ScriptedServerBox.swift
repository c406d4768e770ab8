import Synchronization

/// Gives a script a text that is known only after its server has started, such as a URL.
final class ScriptedServerBox: Sendable {
  private let text = Mutex("")

  var url: String { text.withLock { $0 } }

  func set(_ text: String) { self.text.withLock { $0 = text } }
}
