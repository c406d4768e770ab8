import Synchronization
import Vitrine

/// The reference of `first-start`: writes each body to a plain file and never finds a response. Every disk cache writes
/// at least that.
final class PlainFileCache: ImageDataCache {
  private let files: PlainFiles
  private let count = Atomic(0)

  init(folder: String) throws { files = try PlainFiles(folder: folder) }

  func store(_ response: StoredResponse, for identity: RequestIdentity) -> Bool {
    let number = count.wrappingAdd(1, ordering: .relaxed).newValue
    return (try? files.put(response.body, number: number)) != nil
  }

  func response(for identity: RequestIdentity) -> StoredResponse? { nil }
  func removeResponse(for identity: RequestIdentity) -> Bool { false }
  func removeAllResponses() -> Bool { false }
  func containsResponse(for identity: RequestIdentity) -> Bool { false }
}
