public import VitrineGraphics
public import VitrineLoading
public import VitrineWidgets

/// An observer of the slots of all views, for statistics and tests. Its functions are called on the main actor.
@MainActor
public protocol SlotObserver: AnyObject {
  /// Called when a slot begins to load an image or finds the image in memory.
  func slotWillLoad()
  /// Called when a slot has an image or a failure, but not for a cancelled load. A nil or malformed URL settles with
  /// `.invalidURL`, without a call of `slotWillLoad()` before.
  func slotDidSettle(_ result: Result<ImageResponse, ImageError>)
  /// Called when a slot shows an image that replaces its final result, because the request was sent again
  /// automatically.
  ///
  /// - Parameters:
  ///   - response: The response whose image the slot shows now.
  ///   - failure: The failure that the slot has shown; nil if it has shown a stale image.
  func slotDidRecover(_ response: ImageResponse, from failure: ImageError?)
  /// Called when a slot keeps a stale image, each time that its server could not be asked.
  ///
  /// - Parameters:
  ///   - image: The stale image, which the slot shows.
  ///   - error: The reason.
  func slotDidFailToRefresh(_ image: Image, because error: ImageError)
}

extension SlotObserver {
  /// Does nothing.
  public func slotDidRecover(_ response: ImageResponse, from failure: ImageError?) {}
  /// Does nothing.
  public func slotDidFailToRefresh(_ image: Image, because error: ImageError) {}
}

extension View {
  /// The observer of the slots of all views; `nil` by default. Held weakly.
  public static var slotObserver: (any SlotObserver)? {
    get { ImageSlot.observer }
    set { ImageSlot.observer = newValue }
  }
}

extension ImageSlot {
  static weak var observer: (any SlotObserver)?
}
