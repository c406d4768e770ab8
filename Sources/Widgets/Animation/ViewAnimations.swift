import VitrineGraphics

/// The running animations of a view, at most one for each property.
final class ViewAnimations {
  private struct Track {
    var motion: PropertyMotion
    let completion: AnimationCompletion
  }

  /// The properties that are animated.
  private(set) var running = AnimatedPropertySet()
  /// True while an animation changes the size at which the view is drawn with each frame.
  private(set) var isResizing = false

  private weak var view: View?
  private weak var driver: AnimationDriver?
  /// The tracks by property.
  private var tracks = [Track?](repeating: nil, count: AnimatedProperty.allCases.count)
  /// The values at the ends of the running animations.
  private var ends: AnimatableProperties
  /// The property that is being set by an animation.
  private var shown: AnimatedProperty?

  init(of view: View) {
    self.view = view
    ends = AnimatableProperties(of: view)
  }

  // MARK: Start

  /// Returns the values that the view will have when all animations have ended.
  func values(of view: View) -> AnimatableProperties {
    var values = AnimatableProperties(of: view)
    for property in AnimatedProperty.all where running.contains(property) { values.copy(property, of: ends) }
    return values
  }

  /// Starts an animation of the assigned properties from the values shown now.
  func start(
    _ timing: PropertyMotion.Timing, to values: AnimatableProperties, delay: Double,
    completion: AnimationCompletion, in driver: AnimationDriver
  ) {
    guard let view else { return }
    self.driver = driver
    let shown = AnimatableProperties(of: view)
    let tint = view.inheritedTintColor
    // Counts this call, so that the completion is not called before the last property has begun.
    completion.begin()
    for property in AnimatedProperty.all where values.assigned.contains(property) {
      let replaced = tracks[property.rawValue]?.motion
      var velocity = delay > 0 ? .zero : replaced?.lastVelocity ?? .zero
      if property == .frame, let own = values.frameVelocity {
        velocity = PropertyMotion.Lanes(own.x, own.y, 0, 0)
      }
      // A motion that goes on does not pause for the frame in which it is replaced.
      let continued = replaced?.lastTime.flatMap { $0 >= driver.previousFrame ? $0 : nil }
      let motion = PropertyMotion(
        from: property.lanes(of: shown, inheritedTint: tint),
        to: property.lanes(of: values, inheritedTint: tint), timing: timing, delay: delay,
        tolerance: property.tolerance, velocity: velocity, startTime: continued ?? driver.currentFrame)
      stop(property)
      guard motion.isNeeded else {
        set(property) { values.apply(property, to: view) }
        continue
      }
      ends.copy(property, of: values)
      completion.begin()
      tracks[property.rawValue] = Track(motion: motion, completion: completion)
      running.insert(property)
    }
    updateIsResizing()
    // The view is drawn for motion, or as a group, from now on.
    let drawnAnew: [AnimatedProperty] = [.alpha, .frame, .magnification]
    if drawnAnew.contains(where: running.contains) { view.setAllNeedsDisplay() }
    if completion.end(isCompleted: true) { completion.callLater(true) }
    if !running.isEmpty { driver.add(self) }
  }

  // MARK: Steps

  /// Shows the values of a frame. Adds the completions of animations that have ended.
  ///
  /// - Returns: The time of the next step; `nil` if none is running.
  func step(
    at now: Double, isWindowVisible: Bool, completions: inout [AnimationCompletion]
  ) -> Double? {
    defer { removeIfEmpty() }
    guard isWindowVisible, let view, view.canShowAnimations(of: running) else {
      finish(isCompleted: false)
      return nil
    }
    var next: Double?
    // Re-entrancy: a view that changes may stop any of its animations.
    for property in AnimatedProperty.all {
      guard let moment = tracks[property.rawValue]?.motion.step(at: now) else { continue }
      switch moment {
      case .waiting(let time): next = min(next ?? time, time)
      case .moving(let lanes):
        next = now
        set(property) { property.show(lanes, in: view) }
      case .over: if let completion = end(property, isCompleted: true) { completions.append(completion) }
      }
    }
    return next
  }

  // MARK: End

  /// Called when a property has been set. Stops its animation, unless the animation has set the property.
  func propertyWasSet(_ property: AnimatedProperty) {
    guard shown != property, running.contains(property) else { return }
    stop(property)
    removeIfEmpty()
  }

  /// Stops all animations where they are.
  func stop() {
    for property in AnimatedProperty.all { stop(property) }
    removeIfEmpty()
  }

  /// Shows the ends of all animations. The completions are called asynchronously.
  func finish(isCompleted: Bool) {
    for property in AnimatedProperty.all {
      end(property, isCompleted: isCompleted)?.callLater(true)
    }
    removeIfEmpty()
  }

  private func stop(_ property: AnimatedProperty) { _ = removeTrack(of: property)?.end(isCompleted: false) }

  /// Shows the end of an animation and removes it. Returns its completion, if that is to be called with true.
  private func end(_ property: AnimatedProperty, isCompleted: Bool) -> AnimationCompletion? {
    guard let completion = removeTrack(of: property) else { return nil }
    if let view { set(property) { ends.apply(property, to: view) } }
    return completion.end(isCompleted: isCompleted) ? completion : nil
  }

  private func removeTrack(of property: AnimatedProperty) -> AnimationCompletion? {
    guard let track = tracks[property.rawValue] else { return nil }
    tracks[property.rawValue] = nil
    running.remove(property)
    updateIsResizing()
    // The view is drawn sharp again, and not as a group.
    if property == .alpha || property == .frame || property == .magnification { view?.setAllNeedsDisplay() }
    return track.completion
  }

  private func removeIfEmpty() { if running.isEmpty { driver?.remove(self) } }

  private func set(_ property: AnimatedProperty, _ change: () -> Void) {
    let outer = shown
    shown = property
    change()
    shown = outer
  }

  private func updateIsResizing() {
    let frame = tracks[AnimatedProperty.frame.rawValue]?.motion
    let changesSize = frame.map { $0.start.highHalf != $0.end.highHalf } ?? false
    isResizing = changesSize || running.contains(.magnification)
  }
}
