import FoundationEssentials
import VitrineGraphics

/// A feed in text form: one image URL per line, optionally followed by a tab and a title. Lines that begin with `#` are
/// comments.
///
/// The list keeps the bytes of the text and four bytes for each image, and creates items on demand. A list of a million
/// short lines takes a few megabytes in addition to its text.
struct FeedList: RandomAccessCollection, Sendable {
  /// The maximum length of a text in bytes. A longer text is refused.
  static let byteLimit = 16 << 20
  static var byteLimitText: String { "\(byteLimit >> 20) MiB" }
  /// The maximum number of images. A longer list is refused.
  static let countLimit = 1_000_000

  private let text: [UInt8]
  /// The offsets of the lines that name an image.
  private let starts: [UInt32]
  /// The URL of the list.
  let base: URL

  /// Parses and checks each line of a UTF-8 text. Relative URLs are resolved against `base`, the URL of the list.
  init(_ text: [UInt8], base: URL) throws(FeedError) {
    let listName = Self.displayName(of: base)
    guard text.count <= Self.byteLimit else { throw .tooLong(listName, limit: Self.byteLimitText) }
    let rules = FeedAddresses(base: base)
    var starts: [UInt32] = []
    var lines = FeedLines(text)
    var number = 0
    while let line = lines.next() {
      number += 1
      let content = FeedLines.trimmed(text[line])
      if content.isEmpty || content.first == UInt8(ascii: "#") { continue }
      let address = FeedLines.trimmed(content.prefix { $0 != UInt8(ascii: "\t") })
      do throws(FeedAddresses.Refusal) {
        try rules.check(address)
      } catch {
        let shown = String(decoding: address, as: UTF8.self).withoutSecrets
        throw .line(number, of: listName, reason: "\(error.reason): \(shown)")
      }
      guard starts.count < Self.countLimit else {
        throw .tooLong(listName, limit: "\(Self.countLimit) lines")
      }
      starts.append(UInt32(line.lowerBound))
    }
    self.text = text
    self.starts = starts
    self.base = base
  }

  var startIndex: Int { 0 }
  var endIndex: Int { starts.count }

  subscript(index: Int) -> Feed.Item {
    let parts = String(decoding: line(at: index), as: UTF8.self).split(separator: "\t", maxSplits: 1)
    let address = parts.first.map { FeedLines.trim($0) } ?? ""
    let title = parts.count > 1 ? FeedLines.trim(parts[1]).replacing("\t", with: " ") : ""
    guard let url = URL(string: address, relativeTo: base)?.absoluteURL else {
      return Feed.Item(url: address, title: title, detail: "")
    }
    return Feed.Item(
      url: url.absoluteString, title: title.isEmpty ? Self.title(of: url) : title,
      detail: Self.detail(of: url))
  }

  /// Returns the bytes of a line without spaces at both ends. In two lists with the same base, equal lines are equal
  /// items.
  func line(at index: Int) -> ArraySlice<UInt8> {
    FeedLines.trimmed(text[FeedLines.line(of: text, at: Int(starts[index]))])
  }

  /// Returns the bytes of an address. In two lists with the same base, equal addresses are equal URLs.
  func address(at index: Int) -> ArraySlice<UInt8> {
    FeedLines.trimmed(line(at: index).prefix { $0 != UInt8(ascii: "\t") })
  }

  private static func displayName(of list: URL) -> String {
    list.isFileURL ? list.lastPathComponent : list.absoluteString.withoutSecrets
  }

  /// Returns the host of an image, or the name of a file's folder.
  static func detail(of url: URL) -> String {
    url.isFileURL
      ? url.deletingLastPathComponent().lastPathComponent : url.host() ?? String(url.path.prefix(100))
  }

  /// Returns a title made from the file name of a URL: "07-red_barn.jpg" becomes "07 red barn".
  static func title(of url: URL) -> String {
    let name = url.lastPathComponent
    let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
    let words = stem.split { $0 == "-" || $0 == "_" || $0 == " " }
    if !words.isEmpty { return words.joined(separator: " ") }
    let address = url.absoluteString.withoutSecrets
    // All of an address may look like a login.
    return address.isEmpty ? url.scheme ?? "" : address
  }
}
