public import VitrineGraphics

/// The images of a camera: a response of the type `multipart/x-mixed-replace` whose parts replace each other (MJPEG),
/// or a single image that is requested again and again.
///
/// ```swift
/// stream = downloader.liveImages("http://camera.local/video.mjpg", target: DecodeTarget(width: 640, height: 480)) {
///   imageView.image = $0
/// }
/// ```
///
/// Each image is decoded to the target size and delivered on the main actor. Images that arrive while an earlier one is
/// decoded or delivered replace each other, so that the newest is shown next. No image is stored in a cache.
///
/// When the connection breaks, stalls or is refused, the last image stays and the stream connects again after 1 s, and
/// then after twice as long each time up to 30 s, until an image was decoded. After an error that usually stays, such
/// as the statuses 401, 403 and 404, the stream connects again after a minute. The stream connects at once when the
/// network returns, and not at all while the downloader is offline. A stream does not use the download queue and keeps
/// a connection open, which counts among the connections that the transport permits to one host.
///
/// Releasing the stream cancels it. May be used from any thread.
public final class LiveImageStream: Sendable {
  private let runner: LiveRunner

  init(_ runner: LiveRunner) { self.runner = runner }

  deinit { runner.cancel() }

  /// Closes the connection, for example because the images are not visible. Images that have not been delivered are
  /// dropped.
  public func pause() { runner.setPaused(true) }

  /// Connects again after `pause()`, unless the stream waits for its next attempt to connect.
  public func resume() { runner.setPaused(false) }

  /// The size to which images are decoded; `nil` for their natural size. Applies to images that arrive later.
  public var targetSize: DecodeTarget? {
    get { runner.targetSize }
    set { runner.targetSize = newValue }
  }

  /// Ends the stream. No handler is called any more once this method has returned on the main actor.
  public func cancel() { runner.cancel() }

  /// True after `pause()`, until `resume()` is called.
  public var isPaused: Bool { runner.isPaused }

  /// True once the stream has ended: it was cancelled, has failed, or has delivered the last image.
  public var hasEnded: Bool { runner.hasEnded }

  /// The counters of the stream.
  public var statistics: Statistics { runner.statistics }
}

extension LiveImageStream {
  /// The settings of a stream.
  public struct Options: Hashable, Sendable {
    /// The number of seconds without a byte after which the stream connects again; 10 by default. Empty parts of a
    /// response do not count. Values below 1 count as 1, and infinity disables the limit.
    public var stallLimit: Double
    /// The number of seconds between the end of a response that is a single image and the next request, for cameras
    /// that offer only snapshots. Values below 0.01 count as 0.01. With `nil`, the default, the stream ends after the
    /// image.
    public var refreshInterval: Double?

    /// Creates options with a stall limit of 10 seconds and without a refresh interval.
    public init(stallLimit: Double = 10, refreshInterval: Double? = nil) {
      self.stallLimit = stallLimit
      self.refreshInterval = refreshInterval
    }

    var effectiveStallLimit: Double { stallLimit.isNaN ? 10 : max(1, stallLimit) }

    var effectiveRefreshInterval: Double? { refreshInterval.map { $0.isNaN ? 1 : max(0.01, $0) } }
  }

  /// A change in the state of a stream.
  public enum Event: Hashable, Sendable {
    /// The first image of a connection was delivered.
    case playing
    /// The connection has ended for this reason, or `nil` if the server has ended the response. The last image stays.
    /// The stream connects again after `retryDelay` seconds, or when the downloader is no longer offline if that is
    /// `nil`.
    case interrupted(ImageError?, retryDelay: Double?)
    /// An image could not be decoded for this reason. Not repeated until another image was decoded.
    case frameFailed(ImageError)
    /// The stream has ended, because the response was a single image and there is no refresh interval.
    case ended
    /// The stream has ended, because another attempt would fail as well.
    case failed(ImageError)
  }

  /// The counters of a stream.
  public struct Statistics: Hashable, Sendable {
    /// The number of images received completely.
    public package(set) var framesReceived = 0
    /// The number of images decoded.
    public package(set) var framesDecoded = 0
    /// The number of images received and not shown, because a newer one had arrived, the stream was paused, or there
    /// was no memory for their bytes.
    public package(set) var framesDropped = 0
    /// The number of images that could not be decoded.
    public package(set) var framesFailed = 0
    /// The number of connections after an interruption.
    public package(set) var reconnects = 0

    /// Creates counters at 0.
    package init() {}
  }
}
