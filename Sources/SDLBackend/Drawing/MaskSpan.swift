/// A range of a mask's columns or rows and its target range on the screen. A stretched span has one source pixel.
struct MaskSpan: Hashable {
  let source, target: Range<Int>

  /// Returns the spans that draw a mask of `length` pixels from `start` to `end`. If the target is longer than the
  /// mask, the mask's middle pixel is stretched.
  static func spans(of length: Int, from start: Int, to end: Int) -> [MaskSpan] {
    guard end - start > length else { return [MaskSpan(source: 0..<length, target: start..<start + length)] }
    let middle = length / 2
    let endLength = length - middle - 1
    return [
      MaskSpan(source: 0..<middle, target: start..<start + middle),
      MaskSpan(source: middle..<middle + 1, target: start + middle..<end - endLength),
      MaskSpan(source: middle + 1..<length, target: end - endLength..<end),
    ]
  }

  var isStretched: Bool { source.count != target.count }

  /// Returns the part of the span whose source lies in `pixels` and whose target lies in `limits`; `nil` if there is
  /// none.
  func clipped(to limits: Range<Int>, of pixels: Range<Int>) -> MaskSpan? {
    let clippedSource = source.clamped(to: pixels)
    guard !clippedSource.isEmpty else { return nil }
    if isStretched {
      let visible = target.clamped(to: limits)
      return visible.isEmpty ? nil : MaskSpan(source: clippedSource, target: visible)
    }
    let shift = target.lowerBound - source.lowerBound
    let visible = (clippedSource.lowerBound + shift..<clippedSource.upperBound + shift).clamped(to: limits)
    guard !visible.isEmpty else { return nil }
    return MaskSpan(source: visible.lowerBound - shift..<visible.upperBound - shift, target: visible)
  }

  /// Returns the index of the mask's pixel for a position in `target`.
  func source(of position: Int) -> Int {
    isStretched ? source.lowerBound : source.lowerBound + position - target.lowerBound
  }
}
