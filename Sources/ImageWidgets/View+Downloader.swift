public import VitrineLoading
public import VitrineWidgets

extension View {
  private static var chosenDownloader: ImageDownloader?

  /// Who loads for all views that are not told otherwise: `ImageDownloader.shared` unless it is set (AF-F35).
  public static var sharedImageDownloader: ImageDownloader {
    get { chosenDownloader ?? ImageDownloader.shared }
    set { chosenDownloader = newValue }
  }

  /// Sets the downloader of all views; nil goes back to `ImageDownloader.shared`.
  public static func setSharedImageDownloader(_ downloader: ImageDownloader?) {
    chosenDownloader = downloader
  }
}
