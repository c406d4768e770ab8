import VitrineGraphics

extension ImageMetadata {
  /// The number of bytes of a text that are looked at, for any encoding of the longest title.
  private static let textLimit = 1024

  /// Reads the title and the time from Exif (Exif 2.32, section 4.6), which may begin with the header of JPEG's APP1
  /// segment; `nil` if it states neither. The bytes are untrusted.
  init?(exif: ArraySlice<UInt8>) {
    let header = Array("Exif\0\0".utf8)
    guard let stream = TIFFStream(exif.starts(with: header) ? exif.dropFirst(header.count) : exif),
      let directory = stream.directory(at: stream.firstDirectory)
    else { return nil }
    let camera = stream.directory(at: directory.number(0x8769))
    let original = camera?.text(0x9003, limit: CaptureTime.textLength)
    let changed = directory.text(0x0132, limit: CaptureTime.textLength)
    let description = directory.text(0x010E, limit: Self.textLimit).map(Self.decoded)
    let title = Self(title: description)?.title
    self.init(
      captureTime: original.flatMap { CaptureTime(exif: $0) } ?? changed.flatMap { CaptureTime(exif: $0) },
      title: title.flatMap { Self.isOfCamera($0) ? nil : $0 })
  }

  /// Decodes a text as UTF-8, otherwise as Latin-1. Exif allows only ASCII, but many programs write others.
  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    // The limit may have cut a character.
    let isCut = bytes.count == textLimit
    let end = isCut ? bytes.suffix(4).lastIndex { $0 & 0xC0 != 0x80 } ?? bytes.endIndex : bytes.endIndex
    if let text = String(validating: bytes[..<end], as: UTF8.self) { return text }
    var text = ""
    text.unicodeScalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
    return text
  }

  /// Returns true for a text that a camera writes into each of its images.
  private static func isOfCamera(_ title: String) -> Bool {
    let text = title.uppercased()
    return text.hasSuffix("DIGITAL CAMERA") || text == "SONY DSC" || text.hasPrefix("DCIM")
  }
}

extension CaptureTime {
  /// The number of bytes of a time: `YYYY:MM:DD HH:MM:SS`.
  fileprivate static let textLength = 19

  /// Reads a time; `nil` if it is unknown, which is written as spaces or zeros, or not a time.
  fileprivate init?(exif text: ArraySlice<UInt8>) {
    guard text.count == Self.textLength else { return nil }
    func number(_ offsets: Range<Int>) -> Int? {
      var number = 0
      for offset in offsets {
        let digit = Int(text[text.startIndex + offset]) - 0x30
        guard (0...9).contains(digit) else { return nil }
        number = number * 10 + digit
      }
      return number
    }
    // Some programs write other separators, which are not looked at.
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13),
      let minute = number(14..<16), let second = number(17..<19)
    else { return nil }
    self.init(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
  }
}
