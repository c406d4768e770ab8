/// The reason why a feed cannot be used.
public enum FeedError: Error, Hashable, Sendable {
  /// The location looks like a web address, but is not a URL. The text contains no secrets.
  case invalidURL(String)
  /// There is no file or folder at the path.
  case missing(path: String)
  /// The file or folder cannot be read.
  case unreadable(path: String)
  /// Neither the folder nor its subfolders have a file with the extension of an image.
  case emptyFolder(path: String)
  /// The list names no image.
  case emptyList(String)
  /// The list is not UTF-8 text.
  case notText(String)
  /// The list exceeds a limit, which the text names.
  case tooLong(String, limit: String)
  /// A line of the list names no image that may be shown. Lines are counted from 1.
  case line(Int, of: String, reason: String)
  /// The list could not be loaded from its server.
  case notLoaded(String, ImageError)
}

extension FeedError: CustomStringConvertible {
  /// One line, which says how to fix the problem if it can be fixed.
  public var description: String {
    switch self {
    case .invalidURL(let text): "not a URL: \(text)"
    case .missing(let path):
      "there is no feed at \(path); name a folder of images, an image, a text file or a URL"
    case .unreadable(let path): "cannot read \(path)"
    case .emptyFolder(let path): "the folder \(path) has no images (\(FeedReader.formats))"
    case .emptyList(let name): "the feed at \(name) names no image"
    case .notText(let name): "\(name) is no list of URLs: it is not text"
    case .tooLong(let name, let limit): "\(name) is no list of URLs: it has more than \(limit)"
    case .line(let number, let name, let reason): "line \(number) of \(name) \(reason)"
    case .notLoaded(let name, let error): "cannot load the feed \(name): \(error)"
    }
  }
}
