/// The age of a stored response in words, for a status line or a label on an image.
///
/// ```swift
/// if let age = response.freshness.age { label.text = "\(age) old" }  // "3 h old"
/// ```
public struct StoredAge: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The age in seconds; not negative and finite.
  public let seconds: Double

  /// Creates an age. A negative number and NaN count as 0, and infinity as 1e12 seconds.
  public init(seconds: Double) { self.seconds = seconds > 0 ? min(seconds, 1e12) : 0 }

  /// The age in the largest unit that it fills, without a fraction: "45 s", "12 min", "3 h" or "2 days".
  public var description: String {
    switch seconds {
    case ..<60: "\(Int64(seconds)) s"
    case ..<3600: "\(Int64(seconds / 60)) min"
    case ..<86_400: "\(Int64(seconds / 3600)) h"
    case ..<172_800: "1 day"
    default: "\(Int64(seconds / 86_400)) days"
    }
  }

  /// Orders ages by their seconds.
  public static func < (a: StoredAge, b: StoredAge) -> Bool { a.seconds < b.seconds }
}

extension ImageResponse.Freshness {
  /// The age of a stale image; `nil` for an image that is fresh or revalidated.
  public var age: StoredAge? {
    if case .stale(let seconds, _) = self { StoredAge(seconds: seconds) } else { nil }
  }
}

extension ImageResponse.Freshness: CustomStringConvertible {
  /// The freshness in one line: "fresh", "revalidated", or "stale, 3 h old" with the reason if there is one.
  public var description: String {
    switch self {
    case .fresh: "fresh"
    case .revalidated: "revalidated"
    case .stale(let seconds, let reason):
      "stale, \(StoredAge(seconds: seconds)) old" + (reason.map { " (\($0))" } ?? "")
    }
  }
}
