import FoundationEssentials
import Synchronization

/// Files of generated images, which are made once and kept below the build folder.
struct GeneratedFiles {
  /// A file with its contents.
  struct File {
    let name: String
    let bytes: [UInt8]
  }

  let folder: String

  /// Makes the files unless they exist.
  ///
  /// - Parameters:
  ///   - version: The name of a marker file beside the images. With another name, the files are made again.
  ///   - jobs: The number of calls of `make`, which run on all cores.
  ///   - make: Returns some of the files. The argument is the number of the call, from 0.
  init(
    folder: String, version: String, jobs: Int, _ make: @escaping @Sendable (_ job: Int) -> [File]
  ) throws(BenchmarkError) {
    self.folder = folder
    let files = FileManager.default
    if files.fileExists(atPath: folder + "/" + version) { return }
    let failures = Failures()
    do {
      try? files.removeItem(atPath: folder)
      try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
      onAllCores(count: jobs) { job in
        for file in make(job) {
          do {
            try Data(file.bytes).write(to: URL(filePath: folder + "/" + file.name))
          } catch {
            failures.count.add(1, ordering: .relaxed)
          }
        }
      }
      guard failures.count.load(ordering: .relaxed) == 0 else { throw BenchmarkError("not written") }
      // The marker is written last, so that an interrupted generation starts again.
      try Data().write(to: URL(filePath: folder + "/" + version))
    } catch {
      throw BenchmarkError("cannot write the images to \(folder)")
    }
  }

  private final class Failures: Sendable { let count = Atomic(0) }

  /// Reads the contents of a file.
  func bytes(of name: String) throws(BenchmarkError) -> [UInt8] {
    let path = folder + "/" + name
    guard let data = FileManager.default.contents(atPath: path) else {
      throw BenchmarkError("cannot read \(path)")
    }
    return [UInt8](data)
  }
}
