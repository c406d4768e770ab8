import Glibc

/// Reads small files of /proc and /sys, below a root that tests replace.
///
/// A file that is missing, unreadable or malformed gives `nil` or an empty result, never an error.
struct KernelFiles: Sendable {
  /// A prefix of all paths: empty on a real machine.
  let root: String

  /// Returns the first 16 KiB of a file, which is more than the files in question contain.
  func text(_ path: String) -> String? {
    let file = open(root + path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    let count = read(file, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }

  func exists(_ path: String) -> Bool { access(root + path, F_OK) == 0 }

  /// Returns the content of a file with one number; `nil` also for "max".
  func number(_ path: String) -> Int? {
    text(path).flatMap { Int($0.prefix { !$0.isWhitespace }) }.flatMap { $0 >= 0 ? $0 : nil }
  }

  /// Returns the lines that have a name and a number, as in memory.stat, memory.events and meminfo. Units are ignored.
  func numbers(_ path: String) -> [String: Int] {
    var numbers: [String: Int] = [:]
    // By bytes: the files have hundreds of words, and are read while a screen loads.
    for line in (text(path) ?? "").utf8.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(maxSplits: 2) { byte in " :\t".utf8.contains(byte) }
      guard words.count >= 2, let number = Int(Substring(words[1])), number >= 0 else { continue }
      numbers[String(Substring(words[0]))] = number
    }
    return numbers
  }

  /// Returns the percentage of the last ten seconds in which processes waited for memory, for the keys "some" and
  /// "full" (pressure stall information, PSI).
  func stalls(_ path: String) -> [String: Double] {
    var stalls: [String: Double] = [:]
    for line in (text(path) ?? "").utf8.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "))
      guard let kind = words.first, let field = words.first(where: { $0.starts(with: "avg10=".utf8) }),
        let percent = Self.decimal(field.dropFirst(6)), (0...100).contains(percent)
      else { continue }
      stalls[String(Substring(kind))] = percent
    }
    return stalls
  }

  /// Returns the value of digits, of which a point may separate the decimals; `nil` for anything else.
  private static func decimal(_ text: Substring.UTF8View) -> Double? {
    let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.allSatisfy({ 1...9 ~= $0.count }), parts.joined().allSatisfy({ 48...57 ~= $0 }) else {
      return nil
    }
    let digits = parts.joined().reduce(0.0) { 10 * $0 + Double($1 - 48) }
    return parts.count == 1 ? digits : digits / parts[1].reduce(1.0) { power, _ in 10 * power }
  }
}
