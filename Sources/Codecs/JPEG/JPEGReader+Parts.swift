import CCodecs
import VitrineGraphics
import VitrineLoading

/// Reading a picture while it comes. Each call needs the bytes handed over before.
extension JPEGReader {
  /// Hands over all bytes that have come so far, of which only the new ones are read, for as long as `body` runs.
  func reading<Result>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: () throws(ImageError) -> Result
  ) throws(ImageError) -> Result {
    guard vitrine_jpeg_hand_over(handle, bytes.baseAddress, bytes.count) else {
      throw .decoding(.jpeg, message: "fewer bytes than before")
    }
    defer { vitrine_jpeg_let_go(handle, bytes.count) }
    return try body()
  }

  /// Whether all has come that stands before the pixels; not to be asked again then.
  func readHeader() throws(ImageError) -> Bool {
    let result = vitrine_jpeg_read_header_in_part(handle)
    guard result >= 0 else { throw failure }
    return result > 0
  }

  /// Whether it was made to be seen in part: a coarse picture first, then what it lacks.
  var isProgressive: Bool { handle.pointee.info.progressive_mode != 0 }

  /// What the coefficients of a picture of several scans take, two bytes each; 0 for any other. Known once it has started.
  var coefficientBytes: Int {
    guard holdsSource else { return 0 }
    let info = handle.pointee.info
    return (0..<Int(info.num_components)).reduce(0) { sum, index in
      let component = info.comp_info[index]
      // libjpeg allocates coefficients for whole MCUs.
      func rounded(_ blocks: UInt32, _ factor: Int32) -> Int {
        (Int(blocks) + Int(factor) - 1) / Int(factor) * Int(factor)
      }
      return sum + rounded(component.width_in_blocks, component.h_samp_factor)
        * rounded(component.height_in_blocks, component.v_samp_factor) * 64 * 2
    }
  }

  /// How far the coefficients of several scans have come.
  struct ScanProgress: Hashable {
    /// Of the newest scan.
    var scan = 0
    /// The rows of blocks that have come of it.
    var blockRow = 0
    /// The last scan that is there to its end; 0 while there is none.
    var lastWhole = 0
    var isComplete = false
  }

  /// Unpacks the coefficients of what is new.
  func absorb() throws(ImageError) -> ScanProgress {
    guard vitrine_jpeg_absorb(handle) else { throw failure }
    return ScanProgress(
      scan: Int(handle.pointee.info.input_scan_number), blockRow: Int(handle.pointee.info.input_iMCU_row),
      lastWhole: Int(vitrine_jpeg_last_whole_scan(handle)),
      isComplete: jpeg_input_complete(&handle.pointee.info) != 0)
  }

  /// Lets `body` read all rows of a scan that has come whole, with what has come of later ones.
  func showing(scan: Int, _ body: () throws(ImageError) -> Void) throws(ImageError) {
    guard vitrine_jpeg_show_scan(handle, Int32(scan)) else { throw failure }
    try body()
    guard vitrine_jpeg_hide_scan(handle) else { throw failure }
  }
}
