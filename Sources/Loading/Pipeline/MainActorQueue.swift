import Dispatch
import VitrineGraphics

/// A queue of closures that run on the main actor in the order of posting.
///
/// All closures posted between two turns of the main queue are delivered by one Dispatch block.
final class MainActorQueue: Sendable {
  typealias Letter = @MainActor () -> Void

  /// The queue of all downloaders, so that the order holds across downloaders.
  static let main = MainActorQueue()

  private let letters = Shared<[Letter]>([])

  /// Adds a closure, which always runs later, even if posted on the main actor. May be called on any thread.
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
