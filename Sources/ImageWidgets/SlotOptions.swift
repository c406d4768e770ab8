public import VitrineGraphics
public import VitrineLoading
public import VitrineWidgets

/// How a slot behaves while it loads, and when it has.
///
/// ```swift
/// var options = SlotOptions()
/// options.transition = .fade(0.5)
/// options.failureImage = brokenFrame
/// cell.picture.setImage(from: url, options: options)
/// ```
public nonisolated struct SlotOptions {
  /// How the picture comes; a cross-dissolve of 0.2 s by default, and only for one that had to be waited for. A picture in
  /// part dissolves in 0.4 s whatever is said here, unless pictures from the network come without any, and the whole
  /// dissolves after it.
  public var transition: Transition
  /// How pictures of a source come instead, whenever they do; empty by default.
  public var transitionsBySource: [ImageResponse.Source: Transition]
  /// True to call the completion when the transition has ended or was cut short, and not when it begins (SDWebImage's
  /// WaitTransition); false by default. If the slot is given another image during the transition, the completion is
  /// called before the new load begins.
  public var waitsForTransition: Bool
  /// What is over the slot while it loads; a spinner after 0.1 s by default.
  public var indicator: Indicator
  /// What is seen while it loads.
  public var placeholderPolicy: PlaceholderPolicy
  /// Shown when loading fails; nil leaves the placeholder (AF-I3).
  public var failureImage: Image?
  /// False leaves showing the picture to the completion (SDWebImage's AvoidAutoSetImage). Nothing is shown in part then.
  public var setsImage: Bool
  /// Shows pictures in another place than the slot's own, or in another way: called with all that the slot would
  /// show, without a transition. First the placeholder, where nil stands for nothing, then what has come so far of a
  /// request that is `progressive`, then the picture or the failure image (SD-W11). Without a whole picture in the end, what
  /// was shown before the parts comes again. Kept until the slot is asked for something else: hold weakly what holds the view.
  public var showsImage: (@MainActor (View, Image?) -> Void)?
  /// Loads with another downloader than `sharedImageDownloader` of the view's class. Another cache is a matter of
  /// the request: `ImageRequest.cache`.
  public var downloader: ImageDownloader?
  /// Whether a load that is under way in the slot is given up; true by default. False lets it go on beside this one
  /// (SDWebImage's AvoidAutoCancelImage): its completion hears how it ends, and the picture is cached, but never
  /// shown. It is given up with the view, by a cancel, and by a later call that has true here.
  public var cancelsPrevious: Bool

  /// What is seen while it loads.
  public enum PlaceholderPolicy: Hashable, Sendable {
    /// The placeholder, or nothing: a reused cell never shows another row's picture.
    case whileLoading
    /// The previous image, until the new one arrives (AF-B9). A failure and a malformed URL keep the previous image
    /// too, unless there is a failure image. Setting nil clears the slot. The placeholder is shown only in an empty
    /// slot.
    case keepsPrevious
    /// Nothing while it loads; the placeholder if it fails (SDWebImage's DelayPlaceholder).
    case onFailure
    /// Never the placeholder (YYWebImage's IgnorePlaceHolder).
    case never
  }

  /// What is drawn over a slot while it loads.
  public struct Indicator: Sendable {
    /// What it looks like.
    public enum Kind: Sendable {
      /// A spinner that turns once a second: large in slots of 128 points or more, none in those below 12.
      case activity
      /// A bar, or a ring, that shows how much has come; it moves without an end in sight as long as the server has
      /// not told how much there is. As large as a spinner; a bar up to 160 points wide.
      case bar, ring
      /// One of your own.
      case custom(any IndicatorDrawing)
      /// Nothing, however long it takes.
      case none
    }

    /// What it looks like; a spinner by default.
    public var kind: Kind
    /// Seconds of loading after which it is shown.
    public var delay: Double
    /// Seconds that it stays once it is shown, so that it does not flicker.
    public var minimumDuration: Double
    /// Of the brightest tooth, and of what has come; a light grey by default. One of your own has its own.
    public var color: Color

    /// A spinner after 0.1 s, for 0.3 s at least, unless said otherwise.
    public init(
      _ kind: Kind = .activity, delay: Double = 0.1, minimumDuration: Double = 0.3,
      color: Color = Color(hex: 0xC9CFDA)
    ) {
      self.kind = kind
      self.delay = delay
      self.minimumDuration = minimumDuration
      self.color = color
    }

    /// A spinner.
    public static let activity = Indicator(.activity)
    /// A bar.
    public static let bar = Indicator(.bar)
    /// A ring.
    public static let ring = Indicator(.ring)
    /// One of your own.
    public static func custom(_ drawing: any IndicatorDrawing) -> Indicator { Indicator(.custom(drawing)) }
    /// Nothing.
    public static let none = Indicator(.none)
  }

  /// Cross-dissolve, spinner, placeholder while it loads, unless said otherwise.
  public init(
    transition: Transition = .crossDissolve,
    transitionsBySource: [ImageResponse.Source: Transition] = [:], waitsForTransition: Bool = false,
    indicator: Indicator = .activity,
    placeholderPolicy: PlaceholderPolicy = .whileLoading, failureImage: Image? = nil,
    setsImage: Bool = true, showsImage: (@MainActor (View, Image?) -> Void)? = nil,
    downloader: ImageDownloader? = nil, cancelsPrevious: Bool = true
  ) {
    self.transition = transition
    self.transitionsBySource = transitionsBySource
    self.waitsForTransition = waitsForTransition
    self.indicator = indicator
    self.placeholderPolicy = placeholderPolicy
    self.failureImage = failureImage
    self.setsImage = setsImage
    self.showsImage = showsImage
    self.downloader = downloader
    self.cancelsPrevious = cancelsPrevious
  }

  /// How a picture of a source comes.
  public func transition(for source: ImageResponse.Source) -> Transition {
    if let own = transitionsBySource[source] { return own }
    return transition.when == .always || source != .memory ? transition : .none
  }
}

/// A function that is called exactly once with the result of a load, on the main actor: for an image from memory before
/// the setter returns, otherwise later.
///
/// `.cancelled` means that the slot was given another image, was cancelled, or that its view was released.
///
/// For every result, a completion that has not been called yet is called before the slot begins another load, at
/// the latest within the call that requests this load: the completion of a cell's old image cannot undo changes that
/// the cell makes for the new one. This includes a completion that waits for a transition and the failure of a malformed
/// URL. Only a load that continues because of `cancelsPrevious: false` ends later. If a completion or an observer that is
/// called within the setter gives the slot yet another image, the image of the outer call is not loaded, and its
/// completion is called with `.cancelled` after the setter.
///
/// A retryable failure is final for the completion, but not for the slot: the request is sent again while the slot is
/// on the screen (`ImageDownloader.Configuration.recovery`). A stale image is refreshed in the same way. When the image
/// arrives, it is shown, `imageActivity` ends with success, and `SlotObserver.slotDidRecover(_:from:)` is called; the
/// completion is not called again.
public typealias SlotCompletion = (Result<ImageResponse, ImageError>) -> Void

/// Hears of bytes as they come, on the main actor.
public typealias SlotProgress = (ImageTask.Progress) -> Void
