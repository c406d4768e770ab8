/// Exif with texts.
struct ExifFixture {
  /// The description, tag 0x010E, with its end.
  var description: [UInt8]?
  /// The type of the description; 2 for ASCII.
  var descriptionType = 2
  /// The time of the last change, tag 0x0132.
  var changed: String?
  /// The time at which the image was taken, tag 0x9003 of the second directory.
  var original: String?
  var isBigEndian = false

  /// The TIFF stream: the first directory and its texts, then the second directory and its text.
  var bytes: [UInt8] {
    let count = [description == nil, changed == nil, original == nil].count { !$0 }
    let directoryEnd = 8 + 2 + count * 12 + 4
    var (directory, texts) = (number(count, 2), [UInt8]())
    if let description {
      directory += text(0x010E, descriptionType, description, at: directoryEnd + texts.count)
      if description.count > 4 { texts += description }
    }
    if let changed {
      directory += text(0x0132, 2, changed.utf8 + [0], at: directoryEnd + texts.count)
      texts += changed.utf8 + [0]
    }
    if let original {
      let start = directoryEnd + texts.count
      directory += number(0x8769, 2) + number(4, 2) + number(1, 4) + number(start, 4)
      texts += number(1, 2) + text(0x9003, 2, original.utf8 + [0], at: start + 2 + 12 + 4) + number(0, 4)
      texts += original.utf8 + [0]
    }
    let header = Array((isBigEndian ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
    return header + directory + number(0, 4) + texts
  }

  /// Returns an entry of a directory. A text of up to four bytes stands in the entry itself.
  private func text(_ tag: Int, _ type: Int, _ text: [UInt8], at offset: Int) -> [UInt8] {
    let value =
      text.count > 4 ? number(offset, 4) : text + [UInt8](repeating: 0, count: 4 - text.count)
    return number(tag, 2) + number(type, 2) + number(text.count, 4) + value
  }

  private func number(_ value: Int, _ count: Int) -> [UInt8] {
    let little = (0..<count).map { UInt8(value >> ($0 * 8) & 255) }
    return isBigEndian ? little.reversed() : little
  }
}
