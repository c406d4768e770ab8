package import FoundationEssentials
import VitrineGraphics

extension URL {
  /// The URL without user and password.
  package var withoutLogin: URL {
    let (text, login) = absoluteString.separatingLogin
    return login == nil ? self : URL(string: text) ?? self
  }
}
