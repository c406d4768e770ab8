public import VitrineLoading
public import VitrineWidgets

/// Hears of every slot: for statistics and tests.
public protocol SlotObserver: AnyObject {
  /// A slot begins to load a picture, or finds it in memory.
  func slotWillLoad()
  /// A slot has its picture, or its failure. Cancelled ones do not settle.
  func slotDidSettle(_ result: Result<ImageResponse, ImageError>)
  /// Called when a slot shows an image that replaces its final result, because the request was sent again
  /// automatically.
  ///
  /// - Parameters:
  ///   - response: The response whose image the slot shows now.
  ///   - failure: The failure that the slot has shown; nil if it has shown a stale image.
  func slotDidRecover(_ response: ImageResponse, from failure: ImageError?)
}

extension SlotObserver {
  /// Does nothing.
  public func slotDidRecover(_ response: ImageResponse, from failure: ImageError?) {}
}

extension View {
  /// Hears of the slots of all views; nil by default. Held weakly.
  public static var slotObserver: (any SlotObserver)? {
    get { ImageSlot.observer }
    set { ImageSlot.observer = newValue }
  }
}

extension ImageSlot {
  static weak var observer: (any SlotObserver)?
}
