import VitrineGraphics

/// The target of a request, `/path?name=value&…`, as received.
struct Target: Hashable {
  let text: String

  /// Parses the origin form and the absolute form (RFC 9112, section 3.2), of which only path and query are kept.
  /// Returns `nil` for any other form.
  init?(_ sent: String) {
    if sent.hasPrefix("/") {
      text = sent
    } else if sent.lowercased().hasPrefix("http://") {
      let remaining = sent.dropFirst("http://".count)
      let origin = remaining.drop { $0 != "/" && $0 != "?" }
      text = origin.hasPrefix("/") ? String(origin) : "/" + origin
    } else {
      return nil
    }
  }

  /// The path before the question mark, percent-encoded.
  var path: Substring { text.prefix { $0 != "?" } }

  /// The items of the query in order, percent-decoded. A plus sign is not decoded as a space. An item without `=` has
  /// an empty value.
  var items: [(name: String, value: String)] {
    rawItems.map { item in
      let name = item.prefix { $0 != "=" }
      return (name.percentDecoded, item.dropFirst(name.count + 1).percentDecoded)
    }
  }

  /// Returns the target with another value for all items with this name. The rest of the target is unchanged.
  func replacing(_ name: String, by value: String) -> String {
    let replaced = rawItems.map { item in
      item.prefix { $0 != "=" }.percentDecoded == name ? "\(name)=\(value)" : String(item)
    }
    return path + "?" + replaced.joined(separator: "&")
  }

  private var rawItems: [Substring] { text.dropFirst(path.count + 1).split(separator: "&") }
}

extension StringProtocol {
  /// The text with `%XX` decoded as bytes of UTF-8. A percent sign without two hexadecimal digits is kept.
  var percentDecoded: String { String(decoding: ArraySlice(utf8).percentDecoded, as: UTF8.self) }
}
