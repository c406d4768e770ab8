import Glibc

/// The paths of cache directories.
enum CacheDirectory {
  /// Returns the default directory with these environment variables.
  static func standard(_ environment: (String) -> String?) -> String? {
    // Relative paths must be ignored (XDG Base Directory Specification).
    if let cache = environment("XDG_CACHE_HOME"), cache.hasPrefix("/") { return cache + "/vitrine" }
    if let home = environment("HOME"), home.hasPrefix("/") { return home + "/.cache/vitrine" }
    return nil
  }

  /// Returns a relative path resolved against the current folder.
  static func absolute(_ path: String) -> String {
    guard !path.isEmpty, !path.hasPrefix("/"), let current = getcwd(nil, 0) else { return path }
    defer { free(current) }
    return String(cString: current) + "/" + path
  }

  /// Returns the path with symbolic links resolved if the path exists, and without trailing slashes.
  static func resolved(_ path: String) -> String {
    let real = realpath(path, nil)
    defer { free(real) }
    var text = real.map { String(cString: $0)[...] } ?? path[...]
    while text.count > 1, text.last == "/" { text.removeLast() }
    return String(text)
  }

  /// Returns true if both paths lead to one directory.
  static func isSame(_ one: String, _ other: String) -> Bool { resolved(one) == resolved(other) }
}
