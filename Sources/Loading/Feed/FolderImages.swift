import FoundationEssentials

/// The images in a folder and in its subfolders: the files of each folder, then its subfolders, in natural order.
///
/// Hidden files and folders are left out, and folders that cannot be read. Symbolic links are followed, but no folder is
/// read twice, so that links to a folder above end.
struct FolderImages {
  /// The limits of a search, beyond which further files and folders are left out.
  struct Limits {
    /// The number of levels of subfolders.
    var depth = 16
    var images = 100_000
    /// The number of all files and folders that are looked at.
    var entries = 1_000_000
  }

  struct File {
    /// The path in the folder.
    let path: String
    let stamp: FileStamp
  }

  /// The file name extensions of images.
  static let extensions: Set<String> = ["jpg", "jpeg", "png", "webp", "gif"]

  private(set) var files: [File] = []
  private let limits: Limits
  private var folders: Set<FileStamp.ID> = []
  private var entryCount = 0

  /// Searches a folder. Returns `nil` if the folder cannot be read.
  init?(in folder: String, limits: Limits = .init()) {
    self.limits = limits
    if let stamp = FileStamp(path: folder) { folders.insert(stamp.id) }
    guard read(folder, "", depth: 0) else { return nil }
  }

  /// Returns true if the name of a file is that of an image.
  static func isImage(_ name: String) -> Bool {
    name.lastIndex(of: ".").map { extensions.contains(name[name.index(after: $0)...].lowercased()) } ?? false
  }

  private var isAtLimit: Bool { files.count >= limits.images || entryCount >= limits.entries }

  /// - Parameter prefix: The path of the folder in the first folder, with a slash at the end; empty for the first.
  private mutating func read(_ folder: String, _ prefix: String, depth: Int) -> Bool {
    guard !isAtLimit else { return true }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return false }
    var subfolders: [(name: String, id: FileStamp.ID)] = []
    for name in NaturalOrder.sorted(names) where !name.hasPrefix(".") {
      guard !isAtLimit else { return true }
      entryCount += 1
      guard let stamp = FileStamp(path: "\(folder)/\(name)") else { continue }
      if stamp.isFolder {
        subfolders.append((name, stamp.id))
      } else if stamp.isFile, Self.isImage(name) {
        files.append(File(path: prefix + name, stamp: stamp))
      }
    }
    guard depth < limits.depth else { return true }
    for (name, id) in subfolders where folders.insert(id).inserted {
      _ = read("\(folder)/\(name)", "\(prefix)\(name)/", depth: depth + 1)
    }
    return true
  }
}
