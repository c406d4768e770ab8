import FoundationEssentials

/// The text form of a feed: an image URL a line, a tab and a title may follow, `#` begins a comment.
nonisolated enum FeedList {
  /// The items of a text; relative URLs resolve against `base`, the list's own place.
  static func parse(_ text: String, base: URL) throws(FeedError) -> [FeedItem] {
    var items: [FeedItem] = []
    for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let line = trim(line)
      if line.isEmpty || line.hasPrefix("#") { continue }
      let parts = line.split(separator: "\t", maxSplits: 1)
      let address = trim(parts[0])
      // A page instead of a list would be taken for many odd names.
      guard !address.hasPrefix("<"), let url = URL(string: address, relativeTo: base)?.absoluteURL,
        url.scheme != nil
      else {
        throw FeedError(message: "line \(number + 1) of \(place(base)) is no URL: \(address)")
      }
      let title = parts.count > 1 ? trim(parts[1]).replacing("\t", with: " ") : ""
      items.append(
        FeedItem(
          url: url.absoluteString, title: title.isEmpty ? Self.title(of: url) : title,
          detail: url.host() ?? url.path))
    }
    return items
  }

  private static func place(_ list: URL) -> String {
    list.isFileURL ? list.lastPathComponent : list.absoluteString
  }

  /// A file name as people write titles: "07-red_barn.jpg" becomes "07 red barn".
  static func title(of url: URL) -> String {
    let name = url.lastPathComponent
    let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
    let words = stem.split { $0 == "-" || $0 == "_" || $0 == " " }
    return words.isEmpty ? url.absoluteString : words.joined(separator: " ")
  }

  private static func trim(_ text: some StringProtocol) -> String {
    let blanks: Set<Character> = [" ", "\t", "\u{FEFF}"]
    var slice = Substring(text)
    while let first = slice.first, blanks.contains(first) { slice.removeFirst() }
    while let last = slice.last, blanks.contains(last) { slice.removeLast() }
    return String(slice)
  }
}
