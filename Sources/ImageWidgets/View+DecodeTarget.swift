public import VitrineGraphics
public import VitrineWidgets

extension View {
  /// Returns the size in pixels to which this view would decode an image: the size in points times the scale of the
  /// window, with the content mode. Pass the result to `ImagePrefetcher.prefetch(_:targetSize:progress:completion:)` or
  /// `ImageRequest.targetSize`.
  ///
  /// A list asks for the rows that come next before they have cells. It passes the size of the image in its cells:
  ///
  /// ```swift
  /// func listView(_ listView: ListView, prefetchRows rows: [Int]) {
  ///   let target = listView.decodeTarget(for: Size(width: 120, height: 80), contentMode: .fill)
  ///   ImagePrefetcher.shared.prefetch(rows.map { covers[$0] }, targetSize: target)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - size: The size of the image in points; `nil`, the default, for the bounds of the view.
  ///   - contentMode: The content mode of the image; `nil`, the default, for that of the view.
  /// - Returns: `nil` if the view shows all pixels, because the content mode does not scale, or if the size is empty.
  ///   The scale is 1 for a view outside of a window.
  public func decodeTarget(for size: Size? = nil, contentMode: ContentMode? = nil) -> DecodeTarget? {
    let needed = NeededSize(
      (size ?? bounds.size) * (window?.scale ?? 1), contentMode: contentMode ?? self.contentMode)
    return if case .target(let target) = needed { target } else { nil }
  }
}
