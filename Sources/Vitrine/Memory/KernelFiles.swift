import Glibc

/// Small files of /proc and /sys, under a root that tests put elsewhere.
///
/// Whatever is missing, forbidden or makes no sense is nil: nothing of it is worth an error.
nonisolated struct KernelFiles: Sendable {
  /// Before each path: empty on a real machine.
  let root: String

  /// The beginning of a file: 16 KiB, which is more than any of them has.
  func text(_ path: String) -> String? {
    let file = open(root + path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    let count = read(file, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }

  func exists(_ path: String) -> Bool { access(root + path, F_OK) == 0 }

  /// A file of one number; nil for "max", too.
  func number(_ path: String) -> Int? {
    text(path).flatMap { Int($0.prefix { !$0.isWhitespace }) }.flatMap { $0 >= 0 ? $0 : nil }
  }

  /// Lines of a name and a number, as memory.stat, memory.events and meminfo have; units are left out.
  func numbers(_ path: String) -> [String: Int] {
    var numbers: [String: Int] = [:]
    for line in (text(path) ?? "").split(separator: "\n") {
      let words = line.split(whereSeparator: { $0 == " " || $0 == ":" || $0 == "\t" })
      guard words.count >= 2, let number = Int(words[1]), number >= 0 else { continue }
      numbers[String(words[0])] = number
    }
    return numbers
  }

  /// Percent of the last ten seconds in which processes waited for memory, by "some" and "full" (PSI).
  func stalls(_ path: String) -> [String: Double] {
    var stalls: [String: Double] = [:]
    for line in (text(path) ?? "").split(separator: "\n") {
      let words = line.split(separator: " ")
      guard let kind = words.first, let field = words.first(where: { $0.hasPrefix("avg10=") }),
        let percent = Double(field.dropFirst(6)), (0...100).contains(percent)
      else { continue }
      stalls[String(kind)] = percent
    }
    return stalls
  }
}
