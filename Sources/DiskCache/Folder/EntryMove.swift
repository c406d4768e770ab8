import FoundationEssentials
import Glibc

/// Moves the responses of one cache directory to another.
struct EntryMove {
  private let files = FileManager.default
  private let oldDirectory: String
  private let newDirectory: String
  private var oldRoot: String { "\(oldDirectory)/\(CacheFolder.version)" }
  private var newRoot: String { "\(newDirectory)/\(CacheFolder.version)" }

  init(from oldDirectory: String, to newDirectory: String) {
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
    guard !files.fileExists(atPath: "\(newRoot)/\(path)") else { return false }
    return (try? files.moveItem(atPath: "\(oldRoot)/\(path)", toPath: "\(newRoot)/\(path)")) != nil
  }

  private func makeNewRoot() {
    try? files.createDirectory(
      atPath: newDirectory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    mkdir(newRoot, 0o700)
  }

  private func removeOldDirectory() {
    // If the new folder lacks a response that is still here, that response could not be moved, and the old folder
    // stays.
    let isMoved = ((try? files.subpathsOfDirectory(atPath: oldRoot)) ?? []).allSatisfy { path in
      ContentHash(hex: path.split(separator: "/").last ?? "") == nil
        || files.fileExists(atPath: "\(newRoot)/\(path)")
    }
    if isMoved { try? files.removeItem(atPath: oldRoot) }
    // Fails if the directory contains other files.
    rmdir(oldDirectory)
  }

  private func names(in folder: String) -> [String] {
    (try? files.contentsOfDirectory(atPath: folder)) ?? []
  }
}
