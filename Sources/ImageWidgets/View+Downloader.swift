public import VitrineLoading
public import VitrineWidgets

extension View {
  /// The downloader for loads of views of this class whose options name no other: the downloader set for this class, or
  /// for its nearest superclass with one, or `ImageDownloader.shared`.
  ///
  /// ```swift
  /// View.sharedImageDownloader = downloader        // for all views
  /// AvatarView.sharedImageDownloader = careful     // for avatar views and their subclasses
  /// ```
  ///
  /// Read at the start of each load: a change applies to loads that start afterwards. O(*n*) in the number of classes
  /// with a downloader of their own.
  public static var sharedImageDownloader: ImageDownloader {
    get { ClassDownloaders.downloader(for: self) ?? ImageDownloader.shared }
    set { ClassDownloaders.set(newValue, for: self) { $0 is Self.Type } }
  }

  /// Sets the downloader for views of this class; `nil` removes it, so that the downloader of the superclass applies.
  public static func setSharedImageDownloader(_ downloader: ImageDownloader?) {
    ClassDownloaders.set(downloader, for: self) { $0 is Self.Type }
  }
}

/// The downloaders set for classes.
private enum ClassDownloaders {
  private struct Entry {
    let type: View.Type
    /// Returns true for the class of this entry and for subclasses.
    let covers: (View.Type) -> Bool
    let downloader: ImageDownloader
  }

  /// The entries, subclasses before their superclasses.
  private static var entries: [Entry] = []

  static func downloader(for type: View.Type) -> ImageDownloader? {
    entries.isEmpty ? nil : entries.first { $0.covers(type) }?.downloader
  }

  static func set(
    _ downloader: ImageDownloader?, for type: View.Type, covers: @escaping (View.Type) -> Bool
  ) {
    entries.removeAll { $0.type == type }
    guard let downloader else { return }
    let index = entries.firstIndex { $0.covers(type) } ?? entries.endIndex
    entries.insert(Entry(type: type, covers: covers, downloader: downloader), at: index)
  }
}
