import Dispatch
import VitrineGraphics

/// Calls on their way to the main actor, in the order they were posted.
///
/// However many are posted between two turns of the main queue, they take one hop.
final class Mailbox: Sendable {
  typealias Letter = @MainActor () -> Void

  /// One for all downloaders, so that the order holds across them.
  static let main = Mailbox()

  private let letters = Shared<[Letter]>([])

  /// Never calls from within: the letter is read later, even when posted on the main actor.
  func post(_ letter: @escaping Letter) {
    let isFirst = letters.withLock {
      $0.append(letter)
      return $0.count == 1
    }
    guard isFirst else { return }
    DispatchQueue.main.async { MainActor.assumeIsolated { self.deliver() } }
  }

  @MainActor private func deliver() {
    let taken = letters.withLock { letters in
      defer { letters = [] }
      return letters
    }
    for letter in taken { letter() }
  }
}
