/// The target of a request, `/path?name=value&…`, as it was sent.
struct Target: Hashable {
  let text: String

  /// Takes the origin form and the absolute form (RFC 9112, section 3.2), of which only path and query
  /// are kept; nil for anything else.
  init?(_ sent: String) {
    if sent.hasPrefix("/") {
      text = sent
    } else if sent.lowercased().hasPrefix("http://") {
      let rest = sent.dropFirst("http://".count)
      let origin = rest.drop { $0 != "/" && $0 != "?" }
      text = origin.hasPrefix("/") ? String(origin) : "/" + origin
    } else {
      return nil
    }
  }

  /// What stands before the question mark, still percent-encoded.
  var path: Substring { text.prefix { $0 != "?" } }

  /// The query's items in order, percent-decoded; a plus sign stays one. An item without `=` has an empty
  /// value.
  var items: [(name: String, value: String)] {
    rawItems.map { item in
      let name = item.prefix { $0 != "=" }
      return (name.percentDecoded, item.dropFirst(name.count + 1).percentDecoded)
    }
  }

  /// This target with another value for the items called `name`, everything else left as it was sent.
  func replacing(_ name: String, by value: String) -> String {
    let replaced = rawItems.map { item in
      item.prefix { $0 != "=" }.percentDecoded == name ? "\(name)=\(value)" : String(item)
    }
    return path + "?" + replaced.joined(separator: "&")
  }

  private var rawItems: [Substring] { text.dropFirst(path.count + 1).split(separator: "&") }
}

extension StringProtocol {
  /// The text with `%XX` read as bytes of UTF-8; a percent sign without two digits stays itself.
  var percentDecoded: String {
    let sent = Array(utf8)
    var bytes: [UInt8] = []
    var index = 0
    while index < sent.count {
      if sent[index] == UInt8(ascii: "%"), index + 2 < sent.count,
        let high = hexDigit(sent[index + 1]), let low = hexDigit(sent[index + 2])
      {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(sent[index])
        index += 1
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
