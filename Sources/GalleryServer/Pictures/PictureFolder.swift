import Glibc

/// The files of a folder as resources.
///
/// What was read once stays in memory until the file changes, up to `memoryLimit` bytes; a file that
/// takes it over the limit empties it first.
struct PictureFolder {
  static let memoryLimit = 256 << 20

  let path: String
  private var files: [String: (stamp: Stamp, resource: Resource)] = [:]
  private var bytesInMemory = 0

  /// What tells one state of a file from another.
  private struct Stamp: Equatable {
    let size: Int
    let seconds: Int
    let nanoseconds: Int

    /// Nil for what is no regular file.
    init?(_ status: stat) {
      guard status.st_mode & S_IFMT == S_IFREG else { return nil }
      size = status.st_size
      seconds = status.st_mtim.tv_sec
      nanoseconds = status.st_mtim.tv_nsec
    }

    var entityTag: String {
      let time = UInt64(truncatingIfNeeded: seconds) &* 1_000_000_000 &+ UInt64(nanoseconds)
      return "\"\(String(size, radix: 16))-\(String(time, radix: 16))\""
    }
  }

  /// Opens the folder; nil when there is none at `path`.
  init?(path: String) {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    self.path = String(cString: resolved)
    var status = stat()
    guard stat(self.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
  }

  /// The regular file that `name` says, a path below the folder, percent-encoded; nil when there is none
  /// or when a part of the path would lead elsewhere.
  mutating func resource(named name: some StringProtocol) -> Resource? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(\.percentDecoded)
    let isBelow = parts.allSatisfy { part in
      !part.isEmpty && part != "." && part != ".." && !part.contains("/") && !part.contains("\0")
    }
    guard isBelow else { return nil }
    let file = parts.joined(separator: "/")
    var status = stat()
    guard stat(path + "/" + file, &status) == 0, let stamp = Stamp(status) else { return nil }
    if let known = files[file], known.stamp == stamp { return known.resource }
    return read(file)
  }

  private mutating func read(_ file: String) -> Resource? {
    let descriptor = open(path + "/" + file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, let stamp = Stamp(status),
      let bytes = read(descriptor, count: stamp.size)
    else { return nil }
    let resource = Resource(
      body: bytes, contentType: contentType(ofFile: file),
      headers: [
        "ETag": stamp.entityTag,
        "Cache-Control": "max-age=3600",
        "Last-Modified": httpDate(secondsSince1970: stamp.seconds),
      ])
    keep(resource, for: file, stamp)
    return resource
  }

  private func read(_ descriptor: Int32, count: Int) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let taken = Glibc.read(descriptor, buffer.baseAddress.map { $0 + filled }, count - filled)
        if taken < 0, errno == EINTR { continue }
        guard taken > 0 else { return }
        filled += taken
      }
    }
    return bytes.count == count ? bytes : nil
  }

  private mutating func keep(_ resource: Resource, for file: String, _ stamp: Stamp) {
    bytesInMemory -= files.removeValue(forKey: file)?.resource.body.count ?? 0
    guard stamp.size <= Self.memoryLimit else { return }
    if bytesInMemory + stamp.size > Self.memoryLimit {
      files.removeAll()
      bytesInMemory = 0
    }
    files[file] = (stamp, resource)
    bytesInMemory += stamp.size
  }
}
