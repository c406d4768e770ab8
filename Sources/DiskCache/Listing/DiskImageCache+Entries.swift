import VitrineConcurrency
package import VitrineLoading

// The contents of a cache, for tools.

extension DiskImageCache {
  /// A file of a cache that holds a response.
  package struct Entry: Sendable {
    /// The contents of an undamaged file.
    package struct Content: Sendable {
      let key: StoredKey
      /// The URL of the request; nil if it holds a secret, or was not recorded by the program that stored the response.
      package let url: String?
      /// True if a redirect led to the response.
      package let isRedirected: Bool
      /// The response without its body.
      package let response: StoredResponse
      package let bodyBytes: Int
      package let fileBytes: Int
      /// The time of the store in seconds since 1970, by a clock that may have been wrong.
      package let stored: Int64
      /// The time of the last use in seconds since 1970, accurate to a day.
      package let used: Int64

      /// True if the request had a cookie or a login that only this folder can recognize.
      package var isPrivate: Bool { key.isPrivate }
    }

    /// The result of reading a file.
    package enum State: Sendable {
      case intact(Content)
      case damaged
      /// The system refused to read the file, with this `errno`.
      case unreadable(code: Int32)
    }

    /// The name of the file, 32 hexadecimal digits.
    package let name: String
    package let state: State

    package init(name: String, state: State) {
      self.name = name
      self.state = state
    }

    /// The contents; nil if the file is damaged or cannot be read.
    package var content: Content? { if case .intact(let content) = state { content } else { nil } }
  }

  /// The result of a walk through all entries.
  package enum Walk: Hashable, Sendable {
    /// All entries were visited. Entries that were removed meanwhile are skipped.
    case complete
    /// A part of the folder could not be read.
    case incomplete
    /// The caller has stopped the walk.
    case stopped
    /// The folder could not be opened.
    case refused(Fault)
  }

  /// Opens the folder and returns the fault that prevents reading; nil if there is none, or no folder.
  package func checkAccess() -> Fault? {
    do throws(Fault) {
      if let root = try context.open(creating: false) { _ = root.number }
      return nil
    } catch {
      return error
    }
  }

  /// True if nothing was ever stored in the directory.
  package var isMissing: Bool { context.isFolderMissing }

  /// Calls `body` with each entry, sorted by name, until it returns false. Reads the heads of the files, and the bodies
  /// if `verifyingBodies` is true. Does not change any file. O(files).
  ///
  /// - Parameter count: Called first, with the number of entries.
  @discardableResult
  package func forEachEntry(
    verifyingBodies: Bool = false, count: (Int) -> Void = { _ in }, _ body: (Entry) -> Bool
  ) -> Walk {
    do throws(Fault) {
      guard let root = try context.open(creating: false) else {
        count(0)
        return .complete
      }
      return FolderWalk(folder: context.folder, verifiesBodies: verifyingBodies)
        .run(in: root, count: count, body)
    } catch {
      return .refused(error)
    }
  }

  /// Returns the number of incomplete responses, which `usage()` does not count, and the bytes that they take on disk.
  /// O(files).
  package func incompleteUsage() -> ImageCache.DiskUsage { incompletes.usage() }

  /// Removes the file of an entry that is damaged. Returns true if the file was removed.
  package func removeDamagedEntry(_ name: String) -> Bool {
    guard let hash = ContentHash(hex: name[...]) else { return false }
    return context.reading { (root) throws(Fault) -> Bool in
      guard let shard = try? root.openFolder(Shard.name(of: name)) else { return false }
      // Another process may have stored the response again.
      switch EntryReader.read(name, in: shard, withBody: true) {
      case .damaged: break
      case .content(let content) where context.folder.name(of: content.key.bytes) != hash: break
      case .content, .missing, .failed: return false
      }
      return context.remove(hash, in: shard, because: .damaged)
    } ?? false
  }
}
