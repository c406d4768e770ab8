extension View {
  /// Animates properties of the view along a curve.
  ///
  /// ```swift
  /// card.animate(duration: 0.3, curve: .easeOut) {
  ///   $0.frame.origin.y -= 20
  ///   $0.alpha = 0
  /// } completion: { isCompleted in
  ///   if isCompleted { card.removeFromSuperview() }
  /// }
  /// ```
  ///
  /// `changes` receives the values that the view has after its running animations, and assigns the values at the end. The
  /// closure changes a value and not the view, so that only what can be animated can be assigned, and nothing that other
  /// code sets is animated by accident. Meanwhile the properties of the view have the values that are shown.
  ///
  /// An animation of the same property replaces the running one and starts from the value shown now; setting the property
  /// stops the animation. The time begins with the first frame. An animation takes no time if the view is in no window or
  /// not visible, and ends when the view leaves its window or is hidden; the view then has the values at the end.
  ///
  /// - Parameters:
  ///   - duration: The duration in seconds. If it is not above 0, or not finite, the values are set at once.
  ///   - curve: The pace; ease-in-out by default.
  ///   - delay: The time before the animation begins, in seconds. Meanwhile the values that are shown now stay.
  ///   - changes: Assigns the values at the end.
  ///   - completion: Called once: with true in the frame that shows the end, or with false, asynchronously, if a property
  ///     was stopped or replaced, or if the view was not visible throughout. Without anything to animate, called
  ///     asynchronously.
  public func animate(
    duration: Double, curve: TimingCurve = .easeInOut, delay: Double = 0,
    _ changes: (inout AnimatableProperties) -> Void, completion: ((_ isCompleted: Bool) -> Void)? = nil
  ) {
    animate(.curve(curve, duration: duration), delay: delay, changes, completion: completion)
  }

  /// Animates properties of the view with a spring, which continues the velocity of the animation that it replaces. See
  /// `animate(duration:curve:delay:_:completion:)`.
  ///
  /// - Parameters:
  ///   - spring: The stiffness and the damping.
  ///   - delay: The time before the animation begins, in seconds.
  ///   - changes: Assigns the values at the end.
  ///   - completion: Called once, with true when the view is at rest at the end.
  public func animate(
    spring: SpringTiming, delay: Double = 0, _ changes: (inout AnimatableProperties) -> Void,
    completion: ((_ isCompleted: Bool) -> Void)? = nil
  ) {
    animate(.spring(spring), delay: delay, changes, completion: completion)
  }

  /// True while `animate` changes a property of the view, or is about to. Subviews do not count.
  public var hasRunningAnimations: Bool { extras?.animations?.running.isEmpty == false }

  /// Stops the animations of the view where they are. Their completions receive false.
  public func stopAnimations() { extras?.animations?.stop() }

  /// Ends the animations of the view at their ends. Their completions receive true.
  public func finishAnimations() { extras?.animations?.finish(isCompleted: true) }

  private func animate(
    _ timing: PropertyMotion.Timing, delay: Double, _ changes: (inout AnimatableProperties) -> Void,
    completion: ((Bool) -> Void)?
  ) {
    var values = extras?.animations?.values(of: self) ?? AnimatableProperties(of: self)
    changes(&values)
    let completion = AnimationCompletion(completion)
    let isAnimated = timing.isAnimated || (delay > 0 && delay.isFinite)
    let canBeSeen = window?.isVisible == true && canShowAnimations(of: values.assigned)
    guard let window, canBeSeen, isAnimated else {
      for property in AnimatedProperty.all where values.assigned.contains(property) {
        values.apply(property, to: self)
      }
      return completion.callLater(canBeSeen)
    }
    addedAnimations.start(
      timing, to: values, delay: delay, completion: completion, in: window.animationDriver)
  }

  private var addedAnimations: ViewAnimations {
    let extras = addedExtras
    if let animations = extras.animations { return animations }
    let new = ViewAnimations(of: self)
    extras.animations = new
    return new
  }

  /// Called when a property that can be animated has been set.
  final func propertyWasSet(_ property: AnimatedProperty) { extras?.animations?.propertyWasSet(property) }

  /// True if animations of some properties can be seen: the view is in a window, and neither the view nor a superview is
  /// hidden, transparent or too small, unless an animation is about to change that. O(depth of the tree).
  final func canShowAnimations(of properties: AnimatedPropertySet) -> Bool {
    guard window != nil else { return false }
    var properties = properties
    var view: View? = self
    while let current = view {
      if current.isHidden { return false }
      if current.alpha < 0.01, !properties.contains(.alpha) { return false }
      if current.magnification < 0.01, !properties.contains(.magnification) { return false }
      view = current.superview
      properties = view?.extras?.animations?.running ?? AnimatedPropertySet()
    }
    return true
  }
}
