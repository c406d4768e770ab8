import Vitrine

/// The images that the viewer loads ahead, in the size in which its pages show them. None are loaded until that size is
/// known, and all are loaded again when it changes.
nonisolated struct ImagesAhead {
  /// The loads to cancel and to begin after a change of the size.
  struct Change: Equatable {
    var cancelled: [String] = []
    var loaded: [String] = []
  }

  /// The URLs of the pages that are near, in the order in which they came near.
  private var urls: [String] = []
  /// The size in pixels for which images are loaded; `nil` until the pages are in a window.
  private(set) var target: DecodeTarget?

  /// Adds the image of a page that has come near. Returns the URLs to load now.
  mutating func add(_ url: String) -> [String] {
    guard !urls.contains(url) else { return [] }
    urls.append(url)
    return target == nil ? [] : [url]
  }

  /// Removes the image of a page that is no longer near. Returns true if the image may still be loading.
  mutating func remove(_ url: String) -> Bool {
    guard let index = urls.firstIndex(of: url) else { return false }
    urls.remove(at: index)
    return target != nil
  }

  /// Sets the size of the pages in pixels; `nil` outside of a window.
  mutating func resize(to new: DecodeTarget?) -> Change {
    guard new != target else { return Change() }
    defer { target = new }
    return Change(cancelled: target == nil ? [] : urls, loaded: new == nil ? [] : urls)
  }
}
