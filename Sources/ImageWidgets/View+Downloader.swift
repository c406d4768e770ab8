public import VitrineLoading
public import VitrineWidgets

extension View {
  /// Who loads for the views of this class that are not told otherwise: what was set for it, or for the nearest
  /// class above it, or `ImageDownloader.shared` (AF-F35).
  ///
  /// ```swift
  /// View.sharedImageDownloader = downloader        // for all views
  /// AvatarView.sharedImageDownloader = careful     // for avatars, and classes below them
  /// ```
  ///
  /// Asked for with each load, so a change holds from the next one. O(classes that have one of their own).
  public static var sharedImageDownloader: ImageDownloader {
    get { ClassDownloaders.downloader(for: self) ?? ImageDownloader.shared }
    set { ClassDownloaders.set(newValue, for: self) { $0 is Self.Type } }
  }

  /// Sets the downloader of the views of this class; nil goes back to that of the class above it.
  public static func setSharedImageDownloader(_ downloader: ImageDownloader?) {
    ClassDownloaders.set(downloader, for: self) { $0 is Self.Type }
  }
}

/// The downloaders that were set, a class each.
private enum ClassDownloaders {
  private struct Entry {
    let type: View.Type
    /// Whether a class is this one, or lies below it.
    let covers: (View.Type) -> Bool
    let downloader: ImageDownloader
  }

  /// Classes before those above them.
  private static var entries: [Entry] = []

  static func downloader(for type: View.Type) -> ImageDownloader? {
    entries.isEmpty ? nil : entries.first { $0.covers(type) }?.downloader
  }

  static func set(
    _ downloader: ImageDownloader?, for type: View.Type, covers: @escaping (View.Type) -> Bool
  ) {
    entries.removeAll { $0.type == type }
    guard let downloader else { return }
    let place = entries.firstIndex { $0.covers(type) } ?? entries.endIndex
    entries.insert(Entry(type: type, covers: covers, downloader: downloader), at: place)
  }
}
