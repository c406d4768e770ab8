/// How much of each pixel something covers, 0…255, rows from top to bottom: a line of text, a corner.
nonisolated struct CoverageMask {
  let width: Int
  let height: Int
  let coverage: [UInt8]
}
