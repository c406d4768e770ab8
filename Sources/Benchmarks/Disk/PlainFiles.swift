import Glibc

/// The reference: one file for each entry, without names, hashes or limits. A file is written under another name and
/// renamed, as a cache must do.
struct PlainFiles: EntryStore {
  private let folder: String

  init(folder: String) throws {
    self.folder = folder
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
      throw BenchmarkError("cannot write to \(folder)")
    }
  }

  private func path(_ number: Int) -> String { "\(folder)/\(number)" }

  func put(_ bytes: [UInt8], number: Int) throws {
    let new = folder + "/new"
    let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw BenchmarkError("cannot write to \(folder)") }
    let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
    guard count == bytes.count, rename(new, path(number)) == 0 else {
      throw BenchmarkError("cannot write to \(folder)")
    }
  }

  func get(_ number: Int) throws -> Int {
    let descriptor = open(path(number), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw MissingEntry.error }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw MissingEntry.error }
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
      count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
    }
    return bytes.count
  }
}
