import Glibc

/// A walk through the response files of a cache folder.
struct FolderWalk {
  let folder: CacheFolder
  let verifiesBodies: Bool

  /// Calls `body` with each entry, sorted by name, until it returns false.
  ///
  /// - Parameter count: Called first, with the number of files.
  func run(
    in root: borrowing Descriptor, count: (Int) -> Void, _ body: (DiskImageCache.Entry) -> Bool
  ) -> DiskImageCache.Walk {
    let (names, isComplete) = Self.names(in: root)
    count(names.count)
    var hasAll = isComplete
    for name in names {
      // A folder that was removed meanwhile has no entries.
      guard let shard = try? root.openFolder(Shard.name(of: name)) else { continue }
      let state: DiskImageCache.Entry.State
      switch EntryReader.read(name, in: shard, withBody: verifiesBodies) {
      // A response under the name of another is never found.
      case .content(let content):
        state = folder.name(of: content.key.bytes).hex == name ? .intact(content) : .damaged
      case .damaged: state = .damaged
      case .missing: continue
      case .failed(let error):
        state = .unreadable(code: error.code)
        hasAll = false
      }
      guard body(DiskImageCache.Entry(name: name, state: state)) else { return .stopped }
    }
    return hasAll ? .complete : .incomplete
  }

  /// Returns the names of all response files in order, and false if a folder could not be read.
  static func names(in root: borrowing Descriptor) -> (names: [String], isComplete: Bool) {
    let folders = root.names
    var (names, isComplete) = ([String](), folders.isComplete)
    for folder in folders.names where Shard.isName(folder) {
      do throws(SystemError) {
        let files = try root.openFolder(folder).names
        if !files.isComplete { isComplete = false }
        names += files.names.filter { ContentHash(hex: $0[...]) != nil && $0.hasPrefix(folder) }
      } catch {
        if ![ENOENT, ELOOP, ENOTDIR].contains(error.code) { isComplete = false }
      }
    }
    return (names.sorted(), isComplete)
  }
}
