/// The coverage of each pixel by a shape, such as a line of text or a rounded corner: 0 to 255, rows from top to
/// bottom.
struct CoverageMask {
  let width, height: Int
  let coverage: [UInt8]
}
