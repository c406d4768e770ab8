import Vitrine

/// The text over a slide, which `--caption` names.
nonisolated enum SlideCaption: String, CaseIterable {
  case title, date
  case titleAndDate = "title-date"
  case none

  /// Returns the texts to show side by side, without those that are not known.
  func parts(title: String?, captureTime: CaptureTime?) -> [String] {
    let showsTitle = self == .title || self == .titleAndDate
    let showsDate = self == .date || self == .titleAndDate
    return [showsTitle ? title : nil, showsDate ? captureTime?.date : nil].compactMap { $0 }
  }
}

nonisolated extension CaptureTime {
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
  ]

  /// The date in words, such as `17 May 2024`.
  var date: String { "\(day) \(Self.months[month - 1]) \(year)" }
}
