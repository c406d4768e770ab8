import Glibc

/// A temporary folder that is deleted on deinitialization.
final class TemporaryFolder {
  let path: String
  private var names: [String] = []

  init() {
    var template = Array("/tmp/gallery-tests-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? ""
  }

  deinit {
    for name in names.reversed() { remove(path + "/" + name) }
    rmdir(path)
  }

  func write(_ bytes: [UInt8], to name: String) {
    guard let file = fopen(path + "/" + name, "w") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
    names.append(name)
  }

  func makeFolder(_ name: String) {
    mkdir(path + "/" + name, 0o700)
    names.append(name)
  }

  func makePipe(_ name: String) {
    mkfifo(path + "/" + name, 0o600)
    names.append(name)
  }
}
