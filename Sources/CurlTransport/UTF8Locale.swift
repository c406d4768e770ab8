import Glibc

/// The locale `C.UTF-8`, for functions that take text in the encoding of the locale.
enum UTF8Locale {
  /// @unchecked: the handle never changes and is never freed, and threads may use a locale together.
  private struct Handle: @unchecked Sendable {
    let locale: locale_t?
  }

  private static let handle = Handle(locale: newlocale(LC_CTYPE_MASK, "C.UTF-8", nil))

  /// Calls `body` with this locale, on this thread alone; with the locale as it is where the system has no `C.UTF-8`.
  static func use<Result>(_ body: () -> Result) -> Result {
    guard let locale = handle.locale else { return body() }
    let former = uselocale(locale)
    defer { uselocale(former) }
    return body()
  }
}
