import FoundationEssentials
import Glibc

/// Folders for the files of a measurement, below the build folder: `/tmp` may be in memory.
enum ScratchFolder {
  /// Calls `body` with the path of a new folder, and removes the folder afterwards.
  static func use<Result>(_ name: String, _ body: (_ path: String) throws -> Result) throws -> Result {
    let path = URL(filePath: ".build/bench/\(name)-\(UUID().uuidString)").standardizedFileURL.path
    try make(path)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
  }

  /// Removes everything in a folder.
  static func empty(_ path: String) throws {
    try? FileManager.default.removeItem(atPath: path)
    try make(path)
  }

  /// Frees the pages of the files of a folder without removing a file: a file system may be slow to create files where
  /// others were just removed.
  static func truncateFiles(in path: String) {
    for file in files(below: path) { _ = truncate(file, 0) }
  }

  /// Writes the files of a folder to the storage and drops their pages from the page cache, as after a start of the
  /// machine. Folders, and pages that other processes use, may stay.
  static func dropPages(of path: String) {
    for file in files(below: path) {
      let descriptor = open(file, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      fdatasync(descriptor)
      posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
      close(descriptor)
    }
  }

  /// The times at which the files and folders below a folder last changed in contents, name or attributes, by path.
  static func changeTimes(below path: String) -> [String: Double] {
    var times: [String: Double] = [:]
    for file in contents(of: path) {
      var status = stat()
      guard lstat(file, &status) == 0 else { continue }
      times[file] = Double(status.st_ctim.tv_sec) + Double(status.st_ctim.tv_nsec) / 1e9
    }
    return times
  }

  private static func make(_ path: String) throws {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw BenchmarkError("cannot write to \(path)")
    }
  }

  private static func files(below path: String) -> [String] {
    contents(of: path).filter { file in
      var status = stat()
      return lstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
  }

  private static func contents(of path: String) -> [String] {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
    return names.map { path + "/" + $0 }
  }
}
