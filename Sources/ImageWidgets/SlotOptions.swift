public import VitrineGraphics
public import VitrineLoading
public import VitrineWidgets

/// Options for the appearance of a slot during a load and for the presentation of the image.
///
/// ```swift
/// var options = SlotOptions()
/// options.transition = .crossDissolve(0.5)
/// options.failureImage = brokenFrame
/// cell.picture.setImage(from: url, options: options)
/// ```
public nonisolated struct SlotOptions {
  private struct Values: Sendable {
    var transition: Transition
    var transitionsBySource: [ImageResponse.Source: Transition]
    var waitsForTransition: Bool
    var indicator: Indicator
    var placeholderPolicy: PlaceholderPolicy
    var failureImage: Image?
    var setsImage: Bool
    var showsImage: (@MainActor (View, Image?) -> Void)?
    var downloader: ImageDownloader?
    var cancelsPrevious: Bool
    var refreshInterval: Double?
    var liveStream: LiveImageStream.Options?
  }

  /// Shared by copies: each slot holds the options of its image, and passes them from step to step.
  private var values: CopyOnWrite<Values>
  private static let standard = SlotOptions(transition: .crossDissolve).values

  /// The transition to the loaded image; by default a cross-dissolve of 0.2 s. Images from memory, and images that
  /// arrive before the slot was drawn, are shown at once, unless `Transition.when` is `.always`. Independent of this
  /// value, a preview cross-dissolves in 0.4 s, and the final image after a preview in 0.2 s; both appear at once if
  /// images from the network have no transition.
  public var transition: Transition {
    get { values.value.transition }
    set { values.value.transition = newValue }
  }
  /// The transitions for images of particular sources, in place of `transition` and regardless of `Transition.when`;
  /// empty by default.
  public var transitionsBySource: [ImageResponse.Source: Transition] {
    get { values.value.transitionsBySource }
    set { values.value.transitionsBySource = newValue }
  }
  /// True to call the completion when the transition has ended or was cut short, and not when it begins (SDWebImage's
  /// WaitTransition); false by default. If the slot is given another image during the transition, the completion is
  /// called before the new load begins.
  public var waitsForTransition: Bool {
    get { values.value.waitsForTransition }
    set { values.value.waitsForTransition = newValue }
  }
  /// The indicator drawn over the slot during a load; by default a spinner after 0.1 s, unless the slot shows a
  /// placeholder or a previous image. Set `.activity` for a spinner over an image.
  public var indicator: Indicator {
    get { values.value.indicator }
    set { values.value.indicator = newValue }
  }
  /// The content of the slot during a load; `.whileLoading` by default.
  public var placeholderPolicy: PlaceholderPolicy {
    get { values.value.placeholderPolicy }
    set { values.value.placeholderPolicy = newValue }
  }
  /// The image shown when loading fails; `nil`, the default, leaves the placeholder.
  public var failureImage: Image? {
    get { values.value.failureImage }
    set { values.value.failureImage = newValue }
  }
  /// True, the default, if the slot shows the images. False leaves this to the completion (SDWebImage's
  /// AvoidAutoSetImage): the slot then shows neither placeholder, previews, image nor failure image.
  public var setsImage: Bool {
    get { values.value.setsImage }
    set { values.value.setsImage = newValue }
  }
  /// A custom presentation, called on the main actor in place of setting images on the view; `nil` by default.
  ///
  /// Called without a transition for each image that the slot would show: first the placeholder (`nil` for none), then
  /// the previews of a progressive request or the stored first frame of an animation, then the image or the failure
  /// image. If no image follows the previews, it is called with the image that was shown before the first preview. The
  /// slot keeps the closure until the slot is given another request: capture an object that owns the view weakly.
  public var showsImage: (@MainActor (View, Image?) -> Void)? {
    get { values.value.showsImage }
    set { values.value.showsImage = newValue }
  }
  /// The downloader of this load; `nil`, the default, uses `sharedImageDownloader` of the view's class. To use another
  /// cache only, set `ImageRequest.cache`.
  public var downloader: ImageDownloader? {
    get { values.value.downloader }
    set { values.value.downloader = newValue }
  }
  /// True, the default, if a load in progress in the slot is cancelled. If false, the previous load continues beside
  /// this one (SDWebImage's AvoidAutoCancelImage): its completion is called with its result, and its image is cached
  /// but never shown. Such a load is cancelled with the release of the view, by a cancel, and by a later call with the
  /// value true.
  public var cancelsPrevious: Bool {
    get { values.value.cancelsPrevious }
    set { values.value.cancelsPrevious = newValue }
  }
  /// The number of seconds after which the slot requests its image again, with the cache policy `.refresh`; `nil`, the
  /// default, shows the image as it is. Values below 0.1 count as 0.1; values that are not finite count as `nil`. The time
  /// is extended by up to a tenth at random, so that many devices do not ask at once.
  ///
  /// Suits a picture that its server replaces, such as a weather map. The image is requested while the slot is on the
  /// screen, and when it comes onto the screen later than the interval. An unchanged image stays as it is, another one
  /// appears with the transition, and a failure keeps the image. The completion is not called again; see
  /// `SlotCompletion`.
  public var refreshInterval: Double? {
    get { values.value.refreshInterval }
    set { values.value.refreshInterval = newValue }
  }
  /// The settings of a live stream; `nil`, the default, shows one image.
  ///
  /// With settings, the slot shows the images of a camera as they arrive (`LiveImageStream`): the completion is called
  /// with the first image, and later images replace it without a transition. The connection is closed while the slot
  /// is not visible. When the connection breaks, the last image stays while the stream connects again; a failure
  /// before the first image is reported and shown as for other images. No image is read from or stored in a cache,
  /// and `additionalIdentifier` and `SlotOptions.refreshInterval` have no effect.
  public var liveStream: LiveImageStream.Options? {
    get { values.value.liveStream }
    set { values.value.liveStream = newValue }
  }

  /// The content of a slot during a load.
  public enum PlaceholderPolicy: Hashable, Sendable {
    /// The placeholder, or nothing: a reused cell never shows the image of another row.
    case whileLoading
    /// The previous image, until the new one arrives. A failure and a malformed URL keep the previous image too, unless
    /// there is a failure image. Setting nil clears the slot. The placeholder is shown only in an empty slot.
    case keepsPrevious
    /// Nothing while the slot loads; the placeholder if loading fails (SDWebImage's DelayPlaceholder).
    case onFailure
    /// Never the placeholder (YYWebImage's IgnorePlaceHolder).
    case never
  }

  /// An indicator drawn over a slot during a load.
  public struct Indicator: Sendable {
    /// The appearance of an indicator.
    public enum Kind: Sendable {
      /// A spinner as for `activity`, but none if the slot shows an image when the load starts: a placeholder, or the
      /// previous image.
      case automatic
      /// A spinner with one turn a second: large in slots of at least 128 points, small in smaller ones, and not shown
      /// in slots below 12 points.
      case activity
      /// A progress bar, or a progress ring. It shows the received fraction of the image, or an endless motion while
      /// the length of the response is unknown. As large as a spinner; a bar is up to 160 points wide.
      case bar, ring
      /// A custom indicator, drawn by the application.
      case custom(any IndicatorDrawing)
      /// No indicator.
      case none
    }

    /// The appearance; by default a spinner in a slot without an image.
    public var kind: Kind
    /// The delay in seconds between the start of the load and the appearance of the indicator; 0.1 by default.
    public var delay: Double
    /// The minimum time in seconds between the appearance of the indicator and its end, which prevents flicker; 0.3 by
    /// default.
    public var minimumDuration: Double
    /// The color of the brightest tooth of a spinner, or of the filled part of a bar or ring; light gray by default.
    /// Does not apply to custom drawings.
    public var color: Color

    /// Creates an indicator; without arguments a spinner in a slot without an image, which appears after 0.1 s, for at
    /// least 0.3 s.
    public init(
      _ kind: Kind = .automatic, delay: Double = 0.1, minimumDuration: Double = 0.3,
      color: Color = Color(hex: 0xC9CFDA)
    ) {
      self.kind = kind
      self.delay = delay
      self.minimumDuration = minimumDuration
      self.color = color
    }

    /// A spinner in a slot that shows no image.
    public static let automatic = Indicator(.automatic)
    /// A spinner, also over a placeholder.
    public static let activity = Indicator(.activity)
    /// A progress bar.
    public static let bar = Indicator(.bar)
    /// A progress ring.
    public static let ring = Indicator(.ring)
    /// An indicator drawn by the application.
    public static func custom(_ drawing: any IndicatorDrawing) -> Indicator { Indicator(.custom(drawing)) }
    /// No indicator.
    public static let none = Indicator(.none)
  }

  /// Creates options; each argument has the default of the property.
  public init(
    transition: Transition = .crossDissolve, transitionsBySource: [ImageResponse.Source: Transition] = [:],
    waitsForTransition: Bool = false, indicator: Indicator = .automatic,
    placeholderPolicy: PlaceholderPolicy = .whileLoading, failureImage: Image? = nil, setsImage: Bool = true,
    showsImage: (@MainActor (View, Image?) -> Void)? = nil, downloader: ImageDownloader? = nil,
    cancelsPrevious: Bool = true, refreshInterval: Double? = nil, liveStream: LiveImageStream.Options? = nil
  ) {
    values = CopyOnWrite(
      Values(
        transition: transition, transitionsBySource: transitionsBySource,
        waitsForTransition: waitsForTransition,
        indicator: indicator, placeholderPolicy: placeholderPolicy, failureImage: failureImage,
        setsImage: setsImage, showsImage: showsImage, downloader: downloader,
        cancelsPrevious: cancelsPrevious,
        refreshInterval: refreshInterval, liveStream: liveStream))
  }

  /// Creates options with a cross-dissolve, a spinner, and the placeholder while the slot loads.
  public init() { values = Self.standard }

  /// The options for the images of a camera, with the default settings of a live stream.
  public static var live: SlotOptions { SlotOptions(liveStream: .init()) }

  /// The refresh interval to use; `nil` for none.
  var effectiveRefreshInterval: Double? {
    guard liveStream == nil, let refreshInterval, refreshInterval.isFinite else { return nil }
    return max(0.1, refreshInterval)
  }

  /// Returns the transition for an image from `source`.
  ///
  /// - Parameter hasWaited: False if the image has arrived before the slot was drawn without it.
  package func transition(for source: ImageResponse.Source, hasWaited: Bool = true) -> Transition {
    if let own = transitionsBySource[source] { return own }
    return transition.when == .always || source != .memory && hasWaited ? transition : .none
  }
}

/// A function that is called exactly once with the result of a load, on the main actor: for an image from memory before
/// the setter returns, otherwise later.
///
/// `.cancelled` means that the slot was given another image, was cancelled, or that its view was released.
///
/// For every result, a completion that has not been called yet is called before the slot begins another load, at the
/// latest within the call that requests this load: the completion of a cell's old image cannot undo changes that the
/// cell makes for the new one. This includes a completion that waits for a transition and the failure of a malformed
/// URL. Only a load that continues because of `cancelsPrevious: false` ends later. If a completion or an observer that
/// is called within the setter gives the slot yet another image, the image of the outer call is not loaded, and its
/// completion is called with `.cancelled` after the setter.
///
/// A retryable failure is final for the completion, but not for the slot: the request is sent again while the slot is
/// on the screen (`ImageDownloader.Configuration.recovery`). A stale image is refreshed in the same way. When the image
/// arrives, it is shown, `imageActivity` ends with success, and `SlotObserver.slotDidRecover(_:from:)` is called; the
/// completion is not called again.
public typealias SlotCompletion = (Result<ImageResponse, ImageError>) -> Void

/// A function that is called with the download progress, on the main actor.
public typealias SlotProgress = (ImageTask.Progress) -> Void
