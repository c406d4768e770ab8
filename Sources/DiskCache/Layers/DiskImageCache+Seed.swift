import Glibc
import VitrineLoading

extension DiskImageCache {
  /// Lets all users read the directory, so that it can be the seed of programs of other users: folders get the mode
  /// 755 and files 644. Responses whose requests hold secrets stay readable by this user only, and so does the key of
  /// the folder. Pixels of such responses are removed, and pixels of responses that do not exist. The table of heads
  /// is removed as well. Returns true if all modes were changed; false while another process adds pixels, and in a
  /// directory that all users may write to, such as `/tmp`, whose mode stays.
  ///
  /// A program that uses the directory as a writable cache afterwards makes the folder private again, unless the cache
  /// was created by `init(keepingReadersOf:limits:)`.
  ///
  /// - Parameter pixels: The pixel cache with which this process has stored pixels in the directory, if any.
  package func openToAllReaders(with pixels: DiskPixelCache? = nil) -> Bool {
    guard !isReadOnly, !isInFolderOfAllUsers else { return false }
    var (isComplete, publicNames) = (true, Set<ContentHash>())
    let walk = forEachEntry { entry in
      guard let content = entry.content else { return true }
      // A response varies with headers that may hold a secret, such as a cookie that the transport has sent.
      if content.isPrivate || !content.response.varying.isEmpty { return true }
      if let name = ContentHash(hex: entry.name[...]), setMode(ofFile: entry.name) {
        publicNames.insert(name)
      } else {
        isComplete = false
      }
      return true
    }
    // The pixels of a response that could not be read stay private, and are not removed.
    guard isComplete, walk == .complete else { return false }
    let pixels = pixels ?? DiskPixelCache(keepingReadersOf: directory)
    guard PixelPublication(context: pixels.context, names: publicNames).run() else { return false }
    let hasFolders = context.reading { (root) throws(Fault) -> Bool in
      do throws(SystemError) {
        for folder in root.names.names where Shard.isName(folder) {
          try root.openFolder(folder).setMode(0o755)
        }
        HeadTable.remove(in: root)
        let outer = try root.openFolder("..")
        // The folder may belong to root, and have the mode already.
        if try outer.status.permissions & 0o777 != 0o755 { try outer.setMode(0o755) }
        // Opening the folder for writing makes it private again, so this is the last change.
        try root.setMode(0o755)
        return true
      } catch {
        throw .refused(path: directory, code: error.code)
      }
    }
    return hasFolders == true
  }

  /// True if all users may read the folder of responses.
  package var isOpenToAllReaders: Bool {
    context.reading { (root) throws(Fault) -> Bool in
      do throws(SystemError) {
        return try root.status.permissions & 0o055 == 0o055
      } catch {
        throw .refused(path: directory, code: error.code)
      }
    } ?? false
  }

  /// True if all users may create files in the directory, as in `/tmp`. A seed there would not be trusted.
  private var isInFolderOfAllUsers: Bool {
    context.reading { (root) throws(Fault) -> Bool in
      do throws(SystemError) {
        return try root.openFolder("..").status.permissions & 0o1000 != 0
      } catch {
        throw .refused(path: directory, code: error.code)
      }
    } ?? false
  }

  private func setMode(ofFile name: String) -> Bool {
    context.reading { (root) throws(Fault) -> Bool in
      do throws(SystemError) {
        try root.openFolder(Shard.name(of: name)).open(name, flags: O_RDONLY).setMode(0o644)
        return true
      } catch {
        throw .refused(path: directory, code: error.code)
      }
    } ?? false
  }
}
