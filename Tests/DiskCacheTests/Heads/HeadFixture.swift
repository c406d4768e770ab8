import Foundation

@testable import VitrineDiskCache
@testable import VitrineLoading

extension DiskFixture {
  var tablePath: String { "\(root)/\(HeadBucket.fileName)" }

  /// Stores responses, and looks for their heads as a writer of pixels does.
  func fill(_ numbers: Range<Int>, headers: HTTPHeaders = ["ETag": "\"a\""]) {
    let cache = cache()
    for number in numbers {
      cache.store(storedResponse(seed: UInt8(number % 251), headers: headers), for: identity(number))
      _ = cache.head(for: identity(number))
    }
  }

  /// Returns the head as the file of the response has it.
  func headInFile(_ identity: RequestIdentity) -> StoredHead? {
    DiskImageCache(inspecting: folder).head(for: identity)
  }
}

extension FaultySystem {
  /// Returns the number of files and folders that `body` opens.
  func opens(_ body: () -> Void) -> Int {
    let before = counts[.open] ?? 0
    body()
    return (counts[.open] ?? 0) - before
  }
}
