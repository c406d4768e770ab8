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
  /// How the picture comes; a cross-dissolve of 0.2 s by default, and only for one that had to be waited for.
  public var transition: Transition
  /// How pictures of a source come instead, whenever they do; empty by default.
  public var transitionsBySource: [ImageResponse.Source: Transition]
  /// Whether the completion is called when the transition has ended, in whatever way, and not when it begins
  /// (SDWebImage's WaitTransition); false by default.
  public var waitsForTransition: Bool
  /// The spinner over the slot; shown after 0.1 s by default.
  public var indicator: Indicator
  /// What is seen while it loads.
  public var placeholderPolicy: PlaceholderPolicy
  /// Shown when loading fails; nil leaves the placeholder (AF-I3).
  public var failureImage: Image?
  /// False leaves showing the picture to the completion (SDWebImage's AvoidAutoSetImage).
  public var setsImage: Bool
  /// Shows the picture in another way than the slot's own.
  public var showsImage: (@MainActor (View, Image) -> Void)?
  /// Loads with another downloader than `View.sharedImageDownloader`.
  public var downloader: ImageDownloader?

  /// What is seen while it loads.
  public enum PlaceholderPolicy: Hashable, Sendable {
    /// The placeholder, or nothing: a reused cell never shows another row's picture.
    case whileLoading
    /// The picture that was there before, until the new one is (AF-B9). A placeholder is shown only in an
    /// empty slot.
    case keepsPrevious
    /// Nothing while it loads; the placeholder if it fails (SDWebImage's DelayPlaceholder).
    case onFailure
    /// Never the placeholder (YYWebImage's IgnorePlaceHolder).
    case never
  }

  /// The spinner of a slot.
  public struct Indicator: Hashable, Sendable {
    /// False shows no spinner, however long it takes.
    public var isEnabled: Bool
    /// Seconds of loading after which it is shown.
    public var delay: Double
    /// Seconds that it stays once it is shown, so that it does not flicker.
    public var minimumDuration: Double
    /// Of the brightest tooth; a light grey by default.
    public var color: Color

    /// A spinner after 0.1 s, for 0.3 s at least, unless said otherwise.
    public init(
      isEnabled: Bool = true, delay: Double = 0.1, minimumDuration: Double = 0.3,
      color: Color = Color(hex: 0xC9CFDA)
    ) {
      self.isEnabled = isEnabled
      self.delay = delay
      self.minimumDuration = minimumDuration
      self.color = color
    }

    /// A spinner after 0.1 s, for 0.3 s at least.
    public static let spinner = Indicator()
    /// No spinner.
    public static let none = Indicator(isEnabled: false)
  }

  /// Cross-dissolve, spinner, placeholder while it loads, unless said otherwise.
  public init(
    transition: Transition = .crossDissolve,
    transitionsBySource: [ImageResponse.Source: Transition] = [:], waitsForTransition: Bool = false,
    indicator: Indicator = .spinner,
    placeholderPolicy: PlaceholderPolicy = .whileLoading, failureImage: Image? = nil,
    setsImage: Bool = true, showsImage: (@MainActor (View, Image) -> Void)? = nil,
    downloader: ImageDownloader? = nil
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
  }

  /// How a picture of a source comes.
  public func transition(for source: ImageResponse.Source) -> Transition {
    if let own = transitionsBySource[source] { return own }
    return transition.when == .always || source != .memory ? transition : .none
  }
}

/// Hears how a load ended: exactly once, on the main actor. From memory before the setter returns, otherwise
/// later. `.cancelled` when the slot was given another picture, was cancelled, or its view is gone.
public typealias SlotCompletion = (Result<ImageResponse, ImageError>) -> Void

/// Hears of bytes as they come, on the main actor.
public typealias SlotProgress = (ImageTask.Progress) -> Void
