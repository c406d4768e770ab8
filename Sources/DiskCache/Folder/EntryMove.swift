import FoundationEssentials
import Glibc

/// Moves the responses of one cache directory to another.
struct EntryMove {
  private let files: FileManager
  private let oldDirectory: String
  private let newDirectory: String
  private var oldRoot: String { "\(oldDirectory)/\(CacheFolder.version)" }
  private var newRoot: String { "\(newDirectory)/\(CacheFolder.version)" }

  init(from oldDirectory: String, to newDirectory: String, files: FileManager = .default) {
    self.files = files
    self.oldDirectory = oldDirectory
    self.newDirectory = newDirectory
  }

  /// Moves the responses that the new directory does not have, and removes the old directory unless it contains other
  /// files. Returns the number of responses that were moved.
  func run() -> Int {
    moveKey()
    var moved = 0
    for shard in names(in: oldRoot) {
      for name in names(in: "\(oldRoot)/\(shard)") where ContentHash(hex: name[...]) != nil {
        if moved == 0 { makeNewRoot() }
        mkdir("\(newRoot)/\(shard)", 0o700)
        if move("\(shard)/\(name)") { moved += 1 }
      }
    }
    removeOldDirectory()
    return moved
  }

  /// Moves the key unless the new folder has a key: the names of private entries depend on the folder's key.
  private func moveKey() {
    guard files.fileExists(atPath: "\(oldRoot)/\(FolderKey.name)") else { return }
    makeNewRoot()
    _ = move(FolderKey.name)
  }

  /// Moves a file unless the new folder has a file at this path. Returns true if the file was moved.
  private func move(_ path: String) -> Bool {
    let (old, new) = ("\(oldRoot)/\(path)", "\(newRoot)/\(path)")
    guard !files.fileExists(atPath: new) else { return false }
    do {
      try files.moveItem(atPath: old, toPath: new)
      return true
    } catch {
      // Between two file systems the file is copied. An incomplete copy on a full disk must not count as the response,
      // or the complete file would be deleted.
      if let size = size(of: old), self.size(of: new) != size { unlink(new) }
      return false
    }
  }

  /// Returns the number of bytes of a file, or `nil` if there is no file.
  private func size(of path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  private func makeNewRoot() {
    try? files.createDirectory(
      atPath: newDirectory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    mkdir(newRoot, 0o700)
  }

  private func removeOldDirectory() {
    // If the new folder lacks a response that is still here, that response could not be moved, and the old folder
    // stays. So does a folder that cannot be listed, because its responses are unknown.
    let remaining = try? files.subpathsOfDirectory(atPath: oldRoot)
    let isMoved = remaining?.allSatisfy { path in
      ContentHash(hex: path.split(separator: "/").last ?? "") == nil
        || files.fileExists(atPath: "\(newRoot)/\(path)")
    }
    if isMoved == true { try? files.removeItem(atPath: oldRoot) }
    // Fails if the directory contains other files.
    rmdir(oldDirectory)
  }

  private func names(in folder: String) -> [String] {
    (try? files.contentsOfDirectory(atPath: folder)) ?? []
  }
}
