import Glibc

/// Returns the number of open sockets and files of the process. Other descriptors, which system libraries may open at
/// any time, are not counted.
package func openDescriptors() -> Int {
  guard let folder = opendir("/proc/self/fd") else { return -1 }
  defer { closedir(folder) }
  var count = 0
  while let entry = readdir(folder) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    var target = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/fd/" + name, &target, target.count)
    guard length > 0 else { continue }
    let text = String(decoding: target[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    if text.hasPrefix("socket:") || text.hasPrefix("/") && !text.hasPrefix("/proc/") { count += 1 }
  }
  return count
}
