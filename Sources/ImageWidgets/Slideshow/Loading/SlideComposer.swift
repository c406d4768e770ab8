import VitrineGraphics

/// Draws an image whole over a blurred, enlarged and darkened copy of itself.
///
/// The result is one opaque image of the size of the view, so that a transition costs no more than between images that
/// fill the view. Runs on any thread.
nonisolated struct SlideComposer {
  let width, height: Int

  /// Returns the composition. O(pixels of the image + pixels of the view).
  func composition(of image: Image) -> Image {
    let bitmap = image.bitmap
    let backdrop = SlideBackdrop(of: bitmap, width: width, height: height)
    // The frame has the shape of the encoded image, because decoded sides are rounded to whole pixels.
    let frame = frame(width: image.sourceWidth, height: image.sourceHeight)
    let columns = SlideTaps(source: bitmap.width, target: frame.width)
    let rows = SlideTaps(source: bitmap.height, target: frame.height)
    let pixels = Bitmap(width: width, height: height, format: bitmap.format, isOpaque: true) { bytes, _ in
      let target = bytes.assumingMemoryBound(to: SIMD4<UInt8>.self)
      bitmap.withUnsafeBytes { source in
        let source = source.assumingMemoryBound(to: SIMD4<UInt8>.self)
        for y in 0..<height {
          let line = UnsafeMutableBufferPointer(rebasing: target[(y * width)..<((y + 1) * width)])
          guard frame.rows.contains(y) else {
            backdrop.draw(row: y, columns: 0..<width, into: line)
            continue
          }
          backdrop.draw(row: y, columns: 0..<frame.left, into: line)
          backdrop.draw(row: y, columns: frame.columns.upperBound..<width, into: line)
          for x in 0..<frame.width {
            line[frame.left + x] = columns.pixel(
              x, rows, y - frame.top, of: source, bytesPerRow: bitmap.width, isOpaque: bitmap.isOpaque)
          }
        }
      }
    }
    return Image(pixels, format: image.format)
  }

  /// The pixels that the whole image covers.
  struct Frame: Hashable {
    let left, top, width, height: Int
    var rows: Range<Int> { top..<(top + height) }
    var columns: Range<Int> { left..<(left + width) }
  }

  /// Returns the frame of an image in the middle of the view, as large as fits.
  func frame(width imageWidth: Int, height imageHeight: Int) -> Frame {
    let factor = min(Double(width) / Double(imageWidth), Double(height) / Double(imageHeight))
    let frameWidth = min(width, max(1, Int((Double(imageWidth) * factor).rounded())))
    let frameHeight = min(height, max(1, Int((Double(imageHeight) * factor).rounded())))
    return Frame(
      left: (width - frameWidth) / 2, top: (height - frameHeight) / 2, width: frameWidth, height: frameHeight)
  }
}
