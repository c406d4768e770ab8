package import FoundationEssentials
import VitrineGraphics

extension URL {
  /// The part of the URL that names a resource of a server: the URL without fragment and login.
  var resource: Substring { withoutLogin.absoluteString.prefix { $0 != "#" } }

  /// Returns true if both URLs name the same resource, regardless of the login.
  package func isSameResource(as other: URL) -> Bool { self == other || resource == other.resource }

  /// The URL without query items that are signatures or grant access, such as `X-Amz-Signature` and `access_token`.
  package var withoutSecrets: URL {
    let text = absoluteString
    guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return self }
    let start = text.index(after: mark)
    let query = text[start...].prefix { $0 != "#" }
    let items = query.split(separator: "&", omittingEmptySubsequences: false)
    let kept = items.filter { !Self.isSecret($0) }
    guard kept.count < items.count else { return self }
    let remainingQuery = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
    return URL(string: text[..<mark] + remainingQuery + text[query.endIndex...]) ?? self
  }

  private static func isSecret(_ item: Substring) -> Bool {
    let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let (name, value) = parts.count == 2 ? (parts[0], parts[1]) : ("", item)
    return name.lowercased() == "expires" || String.isSecretQueryItem(name: name, value: value)
  }
}
