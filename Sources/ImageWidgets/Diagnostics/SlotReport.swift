import VitrineGraphics
import VitrineLoading
import VitrineWidgets

/// The source, the loading time and the freshness of the image in a slot, or the failure, for `Window.showsDiagnostics`.
struct SlotReport: Equatable {
  enum Outcome: Equatable {
    case image(Image, from: ImageResponse.Source, ImageResponse.Freshness)
    case failure(ImageError)
  }

  let outcome: Outcome
  /// Seconds of window time from the request to the result; `nil` if one of the two was outside of a window.
  let elapsed: Double?

  init?(_ result: Result<ImageResponse, ImageError>, elapsed: Double?) {
    switch result {
    case .success(let response): outcome = .image(response.image, from: response.source, response.freshness)
    case .failure(.cancelled): return nil
    case .failure(let error): outcome = .failure(error)
    }
    self.elapsed = elapsed
  }

  /// The color of the source, as in Picasso: green for memory, blue for disk, red for the network; also violet for a
  /// file and gray for a failure.
  var color: Color {
    switch outcome {
    case .image(_, .memory, _): Color(hex: 0x1F_8A4C)
    case .image(_, .disk, _): Color(hex: 0x2B_6CC4)
    case .image(_, .network, _): Color(hex: 0xC2_3B31)
    case .image(_, .file, _): Color(hex: 0x7A_48C9)
    case .failure: Color(hex: 0x4A_5160)
    }
  }

  /// The lines of text, the most important first, each with a shorter variant for small slots.
  ///
  /// - Parameters:
  ///   - player: The player of the image, if the image plays.
  ///   - stream: The counters of the live stream that the slot shows.
  func lines(
    _ player: AnimationPlayer? = nil, _ stream: LiveImageStream.Statistics? = nil
  ) -> [(long: String, short: String)] {
    switch outcome {
    case .image(let image, let source, let freshness):
      let decoded = "\(image.pixelWidth)x\(image.pixelHeight)"
      let size = image.isFullSize ? decoded : "\(decoded) of \(image.sourceWidth)x\(image.sourceHeight)"
      let time = elapsed.map { "\(Int(($0 * 1000).rounded())) ms" }
      let origin = (time.map { "\(source) \($0)" } ?? "\(source)", time ?? "\(source)")
      return [(size, decoded), source == .memory ? ("memory", "memory") : origin]
        + Self.line(freshness, source) + Self.line(of: image, player) + Self.line(of: stream)
    case .failure(.offline): return [("offline", "offline")]
    case .failure(let error): return [("\(error)", "failed")]
    }
  }

  /// The line about the frames of an animation: the one that is shown, their memory, and the number that came too late.
  private static func line(of image: Image, _ player: AnimationPlayer?) -> [(long: String, short: String)] {
    guard image.isAnimated else { return [] }
    guard let player else { return [("\(image.frameCount) frames", "\(image.frameCount) frames")] }
    let frame = "frame \(player.frameIndex + 1) of \(image.frameCount)"
    return [(frame, "\(player.frameIndex + 1)/\(image.frameCount)")]
      + [("\(player.decodedBytes / 1024) KB, \(player.droppedFrames) late", "\(player.droppedFrames) late")]
  }

  /// The line about the images of a live stream: those shown, and those that were replaced before that.
  private static func line(of stream: LiveImageStream.Statistics?) -> [(long: String, short: String)] {
    guard let stream else { return [] }
    let shown = "\(stream.framesDecoded) shown"
    return [("live: \(shown), \(stream.framesDropped) dropped", shown)]
  }

  /// The line about the freshness. An image that has just come from its server, or from memory, is fresh unless the line
  /// says otherwise.
  private static func line(
    _ freshness: ImageResponse.Freshness, _ source: ImageResponse.Source
  ) -> [(long: String, short: String)] {
    switch freshness {
    case .fresh: source == .disk ? [("fresh", "fresh")] : []
    case .revalidated: [("revalidated", "304")]
    case .stale(let seconds, _): [("stale, \(StoredAge(seconds: seconds)) old", "stale")]
    }
  }

  /// Draws the report over a slot: a translucent fill in the color of the source, and as many lines as fit.
  func draw(
    in rect: Rect, cornerRadius: Double, of view: View, _ stream: LiveImageStream.Statistics? = nil,
    into list: inout DrawList
  ) {
    list.fill(rect, color: color.multiplyingAlpha(by: 0.3), cornerRadius: cornerRadius)
    guard let text = view.window?.textMeasuring else { return }
    let room = rect.inset(by: Self.margin + Self.padding)
    let texts = lines(player(in: view), stream).compactMap { line in
      [line.long, line.short].map { ($0, text.size(of: $0, font: Self.font)) }
        .first { $0.1.width <= room.width }
    }
    let lineHeight = texts.first?.1.height ?? 0
    // The maximum comes first, because a view may be infinitely large.
    let fittingCount = lineHeight > 0 ? Int(max(0, min(Double(texts.count), room.height / lineHeight))) : 0
    let fitting = texts.prefix(fittingCount)
    guard !fitting.isEmpty else { return }

    let width = fitting.map(\.1.width).max() ?? 0
    let height = lineHeight * Double(fitting.count)
    let origin = Point(x: room.minX, y: room.maxY - height)
    let chip = Rect(x: origin.x, y: origin.y, width: width, height: height).inset(by: -Self.padding)
    list.fill(chip, color: color.multiplyingAlpha(by: 0.9), cornerRadius: 3)
    for (index, (line, size)) in fitting.enumerated() {
      let position = Point(x: origin.x, y: origin.y + lineHeight * Double(index))
      list.text(line, font: Self.font, color: .white, at: position, size: size)
    }
  }

  private func player(in view: View) -> AnimationPlayer? {
    guard case .image(let image, _, _) = outcome, image.isAnimated else { return nil }
    return view.animationPlayer(for: image)
  }

  private static let font = Font.regular(11)
  private static let margin = 4.0
  private static let padding = 3.0
}
