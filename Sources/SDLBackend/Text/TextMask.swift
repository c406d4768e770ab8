/// A line of text as coverage, 0…255 a pixel, rows from top to bottom.
nonisolated struct TextMask {
  let width: Int
  let height: Int
  let coverage: [UInt8]
}
