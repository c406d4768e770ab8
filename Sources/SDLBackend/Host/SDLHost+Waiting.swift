import VitrineWidgets

extension SDLHost {
  /// Waits for images that the disk is about to deliver, if a slot on the screen has begun to load an image since the
  /// previous frame. Runs the handlers of the images that have arrived.
  ///
  /// - Parameter begin: The system time at which the work on the frame began.
  /// - Returns: The duration of the wait in seconds.
  func waitForImages(since begin: Double) -> Double {
    var hasNewLoads = window.takeNewLoads()
    guard let frameGate, isVisible else { return 0 }
    var waited = 0.0
    // An image that has arrived may cause other images to be loaded.
    for _ in 0..<Self.maximumWaits where hasNewLoads && video.isOpen {
      let start = SystemTime.now
      let limit = frameWait.limit(for: frame(hasNewLoads: true, age: start - (firstFrameDue ?? begin)))
      guard limit > 0 else { break }
      frameGate(limit)
      waited += SystemTime.now - start
      window.update(at: now)
      hasNewLoads = window.takeNewLoads()
    }
    return waited
  }

  private static let maximumWaits = 3

  /// Returns true if the first frame is postponed. Lays out the views, so that their images are looked up meanwhile.
  func postponesFirstFrame() -> Bool {
    if firstFrameDue == nil, isFirstFrame, isVisible { firstFrameDue = SystemTime.now }
    guard postponement > 0 else { return false }
    window.update(at: now)
    return true
  }

  /// The time in seconds for which the first frame is still postponed, because the application loads the contents of a
  /// view.
  var postponement: Double {
    guard isFirstFrame, isVisible, frameGate != nil, let firstFrameDue else { return 0 }
    let frame = frame(hasNewLoads: false, age: SystemTime.now - firstFrameDue)
    return frameWait.postponement(of: frame, hasApplicationLoads: window.hasApplicationLoads)
  }

  private var isFirstFrame: Bool { frameStatistics.presented == 0 }

  private var frameWait: FrameWait { FrameWait(firstFrame: firstFrameWait) }

  private func frame(hasNewLoads: Bool, age: Double) -> FrameWait.Frame {
    FrameWait.Frame(
      isFirst: isFirstFrame, hasNewLoads: hasNewLoads, isTimeManual: !window.isInRealTime, age: age,
      interval: window.frameInterval, drawingTime: lastDrawingTime)
  }
}
