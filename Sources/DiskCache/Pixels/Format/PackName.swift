/// The names of packs: eight lowercase hexadecimal digits.
///
/// The numbers of packs are random, so that an entry of a pack that was removed does not lead to a later pack.
enum PackName {
  static func name(_ number: UInt32) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 8 - digits.utf8.count) + digits
  }

  /// Returns the number of a pack; nil for the name of another file.
  static func number(_ name: String) -> UInt32? {
    guard let number = UInt32(name, radix: 16), Self.name(number) == name else { return nil }
    return number
  }
}
