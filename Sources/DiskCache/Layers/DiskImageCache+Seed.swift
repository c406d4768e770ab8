import Glibc

extension DiskImageCache {
  /// Lets all users read the directory, so that it can be the seed of programs of other users: folders get the mode 755
  /// and files 644. Responses to private requests and the key of the folder stay readable by this user only. Returns
  /// true if all modes were changed.
  ///
  /// A program that uses the directory as a writable cache afterwards makes the folder private again.
  package func openToAllReaders() -> Bool {
    guard !isReadOnly else { return false }
    var isComplete = true
    let walk = forEachEntry { entry in
      if entry.content?.isPrivate == false, !setMode(ofFile: entry.name) { isComplete = false }
      return true
    }
    let hasFolders = context.reading { (root) throws(Fault) -> Bool in
      do throws(SystemError) {
        for folder in root.names.names where FolderSweep.isShard(folder) {
          try root.openFolder(folder).setMode(0o755)
        }
        try root.openFolder("..").setMode(0o755)
        // Opening the folder for writing makes it private again, so this is the last change.
        try root.setMode(0o755)
        return true
      } catch {
        throw .refused(path: directory, code: error.code)
      }
    }
    return isComplete && walk == .complete && hasFolders == true
  }

  private func setMode(ofFile name: String) -> Bool {
    context.reading { (root) throws(Fault) -> Bool in
      do throws(SystemError) {
        try root.openFolder(String(name.prefix(2))).open(name, flags: O_RDONLY).setMode(0o644)
        return true
      } catch {
        throw .refused(path: directory, code: error.code)
      }
    } ?? false
  }
}
