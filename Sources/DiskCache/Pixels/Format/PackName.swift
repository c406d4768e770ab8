/// The names of packs: eight lowercase hexadecimal digits.
///
/// The numbers of packs are random, so that an entry of a pack that was removed does not lead to a later pack. The
/// highest bit is set in the numbers of packs with a single image.
enum PackName {
  private static let singleBit: UInt32 = 1 << 31

  /// Returns a random number for a new pack.
  static func newNumber(isSingle: Bool) -> UInt32 {
    let number = UInt32.random(in: 0..<singleBit)
    return isSingle ? number | singleBit : number
  }

  /// Returns true if nothing is added to a pack after its first image. Programs of earlier versions have given such
  /// numbers to packs of many images as well, and may add to any.
  static func isSingle(_ number: UInt32) -> Bool { number & singleBit != 0 }

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
