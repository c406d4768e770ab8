/// The subfolders that hold the files of responses, 16 so that each stays short.
///
/// More subfolders would make a new cache slower: to create one takes longer than to write an image.
enum Shard {
  /// The names of all subfolders, which are the hexadecimal digits in order.
  static let names = (0..<16).map { String($0, radix: 16) }

  /// Returns the name of the subfolder for a file: the first digit of its name.
  static func name(of file: String) -> String { String(file.prefix(1)) }

  /// Returns the name of the subfolder for a file.
  static func name(of file: ContentHash) -> String { names[index(of: file)] }

  /// Returns the index in `names` of the subfolder for a file.
  static func index(of file: ContentHash) -> Int { Int(file.high >> 60) }

  /// Returns true for the name of a subfolder.
  static func isName(_ name: String) -> Bool {
    name.utf8.count == 1 && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
