extension Canvas {
  /// Draws `first` and `second` and mixes the results; see `Renderer.mix`.
  func mix(in area: PixelRect, fraction: Double, _ first: () -> Bool, and second: () -> Bool) -> Bool {
    guard !area.isEmpty else { return true }
    let below = copy(of: area)
    let isFirstDone = first()
    let old = copy(of: area)
    draw(below, at: area, opacity: 255)
    let isSecondDone = second()
    draw(old, at: area, opacity: UInt16(((1 - fraction) * 255).rounded()))
    return isFirstDone && isSecondDone
  }

  /// Draws `content` with an opacity; see `Renderer.drawGroup`.
  func drawGroup(in area: PixelRect, opacity: Double, _ content: () -> Void) {
    guard !area.isEmpty else { return }
    let below = copy(of: area)
    content()
    draw(below, at: area, opacity: 255 - UInt16((opacity * 255).rounded()))
  }

  private func copy(of area: PixelRect) -> [UInt32] {
    [UInt32](unsafeUninitializedCapacity: area.width * area.height) { copy, count in
      count = area.width * area.height
      guard let base = copy.baseAddress else { return }
      for y in 0..<area.height {
        (base + y * area.width).initialize(from: pointer(x: area.left, y: area.top + y), count: area.width)
      }
    }
  }

  /// Draws copied pixels over an area. Their alpha is ignored.
  private func draw(_ copy: [UInt32], at area: PixelRect, opacity: UInt16) {
    copy.withUnsafeBufferPointer { copy in
      guard let base = copy.baseAddress else { return }
      for y in 0..<area.height {
        PixelRow.draw(
          base + y * area.width, onto: pointer(x: area.left, y: area.top + y), count: area.width,
          effect: PixelEffect(opacity: opacity))
      }
    }
  }
}
