import Glibc

/// The locale `C.UTF-8`, for functions that take text in the encoding of the locale.
enum UTF8Locale {
  /// A locale handle. `@unchecked Sendable` because the handle never changes and is never freed, and threads may share
  /// a locale.
  private struct Handle: @unchecked Sendable { let locale: locale_t? }

  private static let handle = Handle(locale: newlocale(LC_CTYPE_MASK, "C.UTF-8", nil))

  /// Calls `body` with the locale `C.UTF-8` set for this thread only. If the system has no such locale, the current
  /// locale stays.
  static func use<Result>(_ body: () -> Result) -> Result {
    guard let locale = handle.locale else { return body() }
    let previous = uselocale(locale)
    defer { uselocale(previous) }
    return body()
  }
}
