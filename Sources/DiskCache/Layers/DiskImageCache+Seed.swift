import Glibc

extension DiskImageCache {
  /// Lets all users read the directory, so that it can be the seed of programs of other users: folders get the mode 755
  /// and files 644. Responses whose requests may hold secrets stay readable by this user only, and so does the key of
  /// the folder if there is such a response. Returns true if all modes were changed.
  ///
  /// A program that uses the directory as a writable cache afterwards makes the folder private again.
  package func openToAllReaders() -> Bool {
    guard !isReadOnly else { return false }
    var (isComplete, hasSecrets) = (true, false)
    let walk = forEachEntry { entry in
      guard let content = entry.content else { return true }
      // The URL is recorded only if neither the URL nor the headers hold a secret.
      if content.isPrivate, content.url == nil {
        hasSecrets = true
      } else if !setMode(ofFile: entry.name) {
        isComplete = false
      }
      return true
    }
    let hasFolders = context.reading { (root) throws(Fault) -> Bool in
      do throws(SystemError) {
        for folder in root.names.names where FolderSweep.isShard(folder) {
          try root.openFolder(folder).setMode(0o755)
        }
        try root.openFolder("..").setMode(0o755)
        if !hasSecrets, try root.contains(FolderKey.name) {
          try root.open(FolderKey.name, flags: O_RDONLY).setMode(0o644)
        }
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
