/// The subfolders that hold the files of responses, 16 so that each stays short.
///
/// More subfolders would make a new cache slower: to create one takes longer than to write an image.
enum Shard {
  /// Returns the name of the subfolder for a file: the first digit of its name.
  static func name(of file: String) -> String { String(file.prefix(1)) }

  /// Returns the name of the subfolder for a file.
  static func name(of file: ContentHash) -> String { String(file.high >> 60, radix: 16) }

  /// Returns true for the name of a subfolder.
  static func isName(_ name: String) -> Bool {
    name.utf8.count == 1 && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
