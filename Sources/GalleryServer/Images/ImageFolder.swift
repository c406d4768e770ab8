import Glibc

/// A folder whose files are served.
struct ImageFolder: Sendable {
  let path: String

  /// Opens the folder. Returns `nil` if `path` is not a folder.
  init?(path: String) {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    self.path = String(cString: resolved)
    var status = stat()
    guard stat(self.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
  }

  /// The names of the JPEG files, sorted; if there are none, the paths of those in the folder `gallery`.
  var jpegNames: [String] {
    let names = jpegNames(in: path)
    return names.isEmpty ? jpegNames(in: path + "/gallery").map { "gallery/" + $0 } : names
  }

  private func jpegNames(in path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if contentType(ofFile: name) == "image/jpeg" { names.append(name) }
    }
    return names.sorted()
  }

  /// Returns the regular file at `name`, a percent-encoded path below the folder. Returns `nil` if there is none, or if
  /// a part of the path could lead outside the folder.
  func exhibit(named name: some StringProtocol) -> Exhibit? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(\.percentDecoded)
    let isBelow = parts.allSatisfy { part in
      !part.isEmpty && part != "." && part != ".." && !part.utf8.contains { $0 == 0x2f || $0 == 0 }
    }
    guard isBelow, let file = OpenFile(path: path + "/" + parts.joined(separator: "/")) else {
      return nil
    }
    return Exhibit(
      body: .file(file), contentType: contentType(ofFile: parts[parts.count - 1]),
      headers: [
        Header("ETag", file.entityTag),
        Header("Cache-Control", "max-age=3600"),
        Header("Last-Modified", httpDate(secondsSince1970: file.modified.tv_sec)),
      ])
  }
}
