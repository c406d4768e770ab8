public import VitrineGraphics

extension ImageDownloader {
  /// Shows the images of a camera as they arrive; see `LiveImageStream`.
  ///
  /// The request's headers, limits, transforms and decoding options apply, and so does the request modifier of the
  /// configuration; its response modifier and its body modifier do not. A frame has at most
  /// `Configuration.responses.bodyLimit` bytes.
  ///
  /// - Parameters:
  ///   - source: The URL of the camera.
  ///   - target: The size to which images are decoded; `nil`, the default, uses that of the request.
  ///   - options: The settings of the stream.
  ///   - onFrame: Called on the main actor with each image to show. Capture the owner of the stream weakly.
  ///   - onEvent: Called on the main actor with each change of state. Capture the owner of the stream weakly.
  /// - Returns: The stream, which must be kept: releasing the stream cancels it.
  public func liveImages(
    _ source: some ImageRequestConvertible, target: DecodeTarget? = nil,
    options: LiveImageStream.Options = .init(), onFrame: @escaping @MainActor (Image) -> Void,
    onEvent: (@MainActor (LiveImageStream.Event) -> Void)? = nil
  ) -> LiveImageStream {
    var failure = refusal
    var request: ImageRequest
    do throws(ImageError) {
      request = completedWithoutSlot(try source.asImageRequest())
    } catch {
      request = .invalid(error)
      failure = failure ?? error
    }
    if let target { request.targetSize = target }
    if engine.isShutDown { failure = failure ?? .shutDown }
    let runner = LiveRunner(request, options, engine, LiveHandlers(onFrame: onFrame, onEvent: onEvent))
    runner.start(failure)
    return LiveImageStream(runner)
  }
}
