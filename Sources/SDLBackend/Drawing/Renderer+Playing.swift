import VitrineGraphics
import VitrineWidgets

extension Renderer {
  /// Draws the commands of a list inside `rect`. Returns the parts, in pixels, that should be drawn again in the next
  /// frame because an image was drawn coarsely.
  func play(_ list: DrawList, in rect: PixelRect, scale: Double) -> [PixelRect] {
    fonts.scale = scale
    let cover = lastCover(of: list, in: rect, scale: scale)
    if cover == nil { fill(rect, color: .black, clip: rect) }
    var state = PlayingState(clips: [rect], scale: scale)
    // Commands below a fill that covers all of `rect` are not visible.
    play(list, in: 0..<list.commands.count, visibleFrom: cover ?? 0, &state)
    return state.unfinished
  }

  /// Makes the texture for a command of a later frame.
  func prepare(_ command: DrawList.ImageCommand, scale: Double) {
    let rect = PixelRect(command.destination, scale: scale)
    if let placed = placedImage(for: command, clip: rect, scale: scale, outline: nil) { prepare(placed) }
  }

  /// Draws a range of the commands. Clips, outlines and groups must be balanced in it.
  private func play(
    _ list: DrawList, in range: Range<Int>, visibleFrom cover: Int, _ state: inout PlayingState
  ) {
    let scale = state.scale
    var index = range.lowerBound
    while index < range.upperBound {
      let command = list.commands[index]
      let clip = state.clip
      let outline = state.outline
      index += 1
      switch command {
      case .pushClip(let inner): state.clips.append(PixelRect(inner, scale: scale).intersection(clip))
      case .popClip: if state.clips.count > 1 { state.clips.removeLast() }
      case .pushOutline(let area, let radius):
        let area = PixelRect(area, scale: scale)
        state.outline = Outline(rect: area, radius: CornerMasks.radius(radius, scale: scale, in: area))
      case .popOutline: state.outline = nil
      case .pushGroup(let area, let opacity):
        let content = index..<list.endOfGroup(from: index)
        index = content.upperBound
        let area = PixelRect(covering: area, scale: scale).intersection(clip)
        // A group never contains the cover, so it is visible as a whole or not at all.
        guard content.lowerBound > cover, !area.isEmpty else { break }
        drawGroup(in: area, opacity: opacity) {
          state.clips.append(area)
          play(list, in: content, visibleFrom: cover, &state)
          state.clips.removeLast()
        }
      case .popGroup: break
      case _ where index <= cover || clip.isEmpty: break
      case .fill(let area, let color, let radius):
        let area = PixelRect(area, scale: scale)
        let corners = mask(radius: radius, scale: scale, in: area, outline: outline)
        fill(area, color: color, corners: corners, clip: clip)
      case .border(let area, let width, let color, let radius):
        let area = PixelRect(area, scale: scale)
        let radius = CornerMasks.radius(radius, scale: scale, in: area)
        // A border that is thinner than a pixel must not vanish.
        border(
          area, width: max(1, PixelRect.nearest(width * scale)), color: color, radius: radius, clip: clip)
      case .shadow(let shadow, let area, let radius, let isHiddenInside):
        draw(shadow, of: area, cornerRadius: radius, isHiddenInside: isHiddenInside, clip: clip, scale: scale)
      case .image(let command):
        guard let placed = placedImage(for: command, clip: clip, scale: scale, outline: outline) else {
          break
        }
        if !draw(placed, clip: clip) { state.unfinished.append(placed.rect.intersection(clip)) }
      case .dissolve(let old, let new, let fraction):
        let area = PixelRect(old.destination, scale: scale)
          .union(PixelRect(new.destination, scale: scale)).intersection(clip)
        func draw(_ command: DrawList.ImageCommand) -> Bool {
          placedImage(for: command, clip: area, scale: scale, outline: outline)
            .map { self.draw($0, clip: area) } ?? true
        }
        if !mix(in: area, fraction: fraction, { draw(old) }, and: { draw(new) }) {
          state.unfinished.append(area)
        }
      case .text(let text, let font, let color, let origin):
        draw(
          fonts.key(for: text, font), x: PixelRect.nearest(origin.x * scale),
          y: PixelRect.nearest(origin.y * scale), color: color, clip: clip)
      }
    }
  }

  /// Returns the index of the last command that hides everything below it in `rect`; `nil` if there is none. A group is
  /// translucent, so its commands hide nothing below the group.
  private func lastCover(of list: DrawList, in rect: PixelRect, scale: Double) -> Int? {
    var clips = [true]
    var cover: Int?
    var groups = 0
    for (index, command) in list.commands.enumerated() {
      switch command {
      case .pushClip(let clip): clips.append(PixelRect(clip, scale: scale).contains(rect))
      case .popClip: if clips.count > 1 { clips.removeLast() }
      case .pushGroup: groups += 1
      case .popGroup: groups -= 1
      case .fill(let area, let color, let radius) where color.alpha == 255 && radius <= 0 && groups == 0:
        if clips[clips.count - 1], PixelRect(area, scale: scale).contains(rect) { cover = index }
      default: break
      }
    }
    return cover
  }

  /// Converts an image command to pixels. Returns `nil` if no part of the image is visible.
  private func placedImage(
    for command: DrawList.ImageCommand, clip: PixelRect, scale: Double, outline: Outline?
  ) -> PlacedImage? {
    let rect = PixelRect(command.destination, scale: scale)
    guard !rect.intersection(clip).isEmpty else { return nil }
    let bitmap = command.image.bitmap
    var command = command
    command.source = command.source.intersection(
      Rect(x: 0, y: 0, width: Double(bitmap.width), height: Double(bitmap.height)))
    guard !command.source.isEmpty else { return nil }
    let tint = command.templateColor?.multiplied(by: command.tint) ?? command.tint
    let replaces = command.templateColor != nil
    let effect = PixelEffect(
      opacity: UInt16((min(1, max(0, command.opacity)) * Double(tint.alpha)).rounded()),
      tint: tint.pixel | 0xFF00_0000 == 0xFFFF_FFFF && !replaces ? nil : tint.pixel | 0xFF00_0000,
      replacesColors: replaces)
    let mask = mask(radius: command.cornerRadius, scale: scale, in: rect, outline: outline)
    return PlacedImage(command: command, rect: rect, corners: mask, effect: effect)
  }

  /// Returns the mask for the corners of a rectangle. If the border of an outline covers the edge, the mask has only
  /// the pixels inside the edge.
  private func mask(radius: Double, scale: Double, in rect: PixelRect, outline: Outline?) -> CornerMask {
    let radius = CornerMasks.radius(radius, scale: scale, in: rect)
    let isCovered = outline == Outline(rect: rect, radius: radius)
    return corners[CornerShape(radius: radius, part: isCovered ? .inside : .all)]
  }
}

/// The effects of the commands that have been played so far on those that follow.
private struct PlayingState {
  /// The enclosing clips, innermost last; never empty.
  var clips: [PixelRect]
  let scale: Double
  var outline: Outline?
  /// The parts that should be drawn again in the next frame.
  var unfinished: [PixelRect] = []

  var clip: PixelRect { clips[clips.count - 1] }
}

extension DrawList {
  /// Returns the index of the command that ends the group whose content begins at an index.
  fileprivate func endOfGroup(from start: Int) -> Int {
    var depth = 1
    for index in start..<commands.count {
      switch commands[index] {
      case .pushGroup: depth += 1
      case .popGroup: depth -= 1
      default: break
      }
      if depth == 0 { return index }
    }
    return commands.count
  }
}

/// A rounded rectangle along which a later command draws an opaque border.
private struct Outline: Equatable {
  let rect: PixelRect
  let radius: Int
}

extension Color {
  /// Multiplies channel by channel, with 255 as 1.
  fileprivate func multiplied(by other: Color) -> Color {
    func product(_ a: UInt8, _ b: UInt8) -> UInt8 { UInt8((Int(a) * Int(b) + 127) / 255) }
    return Color(
      red: product(red, other.red), green: product(green, other.green), blue: product(blue, other.blue),
      alpha: product(alpha, other.alpha))
  }
}
