import Synchronization

/// The contents of the server by path: added resources, then the image folder under `/gallery/`.
final class Catalog: Sendable {
  private let resources = Mutex<[String: Resource]>([:])
  private let folder: ImageFolder?
  private static let livePath = "/live/gallery.mjpeg"

  init(folder: ImageFolder?) { self.folder = folder }

  /// Adds a resource at a path, replacing any earlier one.
  func add(_ resource: Resource, at path: String) { resources.withLock { $0[key(path)] = resource } }

  /// Returns the exhibit at the path of `target`, or `nil` if there is none.
  func exhibit(at target: Target) -> Exhibit? {
    if let added = resources.withLock({ $0[key(target.path)] }) { return Exhibit(added) }
    guard target.path.hasPrefix("/gallery/") else { return nil }
    return folder?.exhibit(named: target.path.dropFirst("/gallery/".count))
  }

  /// Returns the live stream at the path of `target`, or `nil` if there is none. Its frames are the first JPEG files of
  /// the image folder.
  func liveExhibit(at target: Target) -> LiveExhibit? {
    guard key(target.path) == Self.livePath, let folder else { return nil }
    let frames = folder.jpegNames.prefix(LiveExhibit.maximumFrames).compactMap { name in
      OpenFile(path: folder.path + "/" + name).map { Exhibit(body: .file($0), contentType: "image/jpeg") }
    }
    return frames.isEmpty ? nil : LiveExhibit(frames: frames, target)
  }

  private func key(_ path: some StringProtocol) -> String {
    let decoded = path.percentDecoded
    return decoded.hasPrefix("/") ? decoded : "/" + decoded
  }
}
