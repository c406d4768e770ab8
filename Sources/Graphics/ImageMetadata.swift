/// The title and the time that a camera or an editor has written into an image file (Exif).
public struct ImageMetadata: Hashable, Sendable {
  /// The maximum number of UTF-8 bytes of a title. A longer text is cut.
  public static let titleByteLimit = 240

  /// The time at which the image was taken; `nil` if it is not known.
  public let captureTime: CaptureTime?
  /// The title on one line, without control characters; `nil` if there is none.
  public let title: String?

  /// Creates metadata; `nil` if there is neither a time nor a title.
  ///
  /// - Parameters:
  ///   - captureTime: The time at which the image was taken.
  ///   - title: Any text. Control characters, line breaks and repeated spaces become one space.
  public init?(captureTime: CaptureTime? = nil, title: String? = nil) {
    let line = title.map(Self.line) ?? ""
    guard captureTime != nil || !line.isEmpty else { return nil }
    self.captureTime = captureTime
    self.title = line.isEmpty ? nil : line
  }

  /// Returns the text on one line that can be shown: without characters that control a terminal or the direction of
  /// other text, and within the limit.
  private static func line(of text: String) -> String {
    var line = ""
    var needsSpace = false
    // Longer texts may consist of spaces.
    for scalar in text.unicodeScalars.prefix(titleByteLimit * 4) {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator:
        needsSpace = !line.isEmpty
      // The joiners of emoji and of some scripts are part of words.
      case .format where scalar != "\u{200C}" && scalar != "\u{200D}": break
      default:
        if needsSpace { line.unicodeScalars.append(" ") }
        needsSpace = false
        line.unicodeScalars.append(scalar)
      }
    }
    // Cut between characters.
    while line.utf8.count > titleByteLimit { line.removeLast() }
    if line.last == " " { line.removeLast() }
    return line
  }
}

/// A date and a time of day in the time zone of a camera, which is not known.
public struct CaptureTime: Hashable, Sendable {
  /// The decimal digits `YYYYMMDDhhmmss`.
  package let digits: UInt64

  /// Creates a time; `nil` if there is no such day in the calendar or no such second in a day.
  public init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    guard (1...9999).contains(year), (1...12).contains(month),
      (1...Self.dayCount(ofMonth: month, year: year)).contains(day),
      (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second)
    else { return nil }
    digits = [month, day, hour, minute, second].reduce(UInt64(year)) { $0 * 100 + UInt64($1) }
  }

  /// Creates a time from its digits; `nil` if they are not a time.
  package init?(digits: UInt64) {
    func part(_ index: Int) -> Int {
      Int(clamping: (0..<index).reduce(digits) { rest, _ in rest / 100 } % 100)
    }
    self.init(
      year: Int(clamping: digits / 10_000_000_000), month: part(4), day: part(3), hour: part(2),
      minute: part(1),
      second: part(0))
  }

  private static func dayCount(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The year, 1 to 9999.
  public var year: Int { Int(digits / 10_000_000_000) }
  /// The month, 1 to 12.
  public var month: Int { Int(digits / 100_000_000 % 100) }
  /// The day of the month, 1 to 31.
  public var day: Int { Int(digits / 1_000_000 % 100) }
  /// The hour, 0 to 23.
  public var hour: Int { Int(digits / 10_000 % 100) }
  /// The minute, 0 to 59.
  public var minute: Int { Int(digits / 100 % 100) }
  /// The second, 0 to 59.
  public var second: Int { Int(digits % 100) }
}

extension CaptureTime: Comparable {
  /// Compares times as if they were of the same time zone.
  public static func < (a: CaptureTime, b: CaptureTime) -> Bool { a.digits < b.digits }
}
