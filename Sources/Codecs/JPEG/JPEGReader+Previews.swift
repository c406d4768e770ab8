import CCodecs
import VitrineGraphics
import VitrineLoading

/// Reading an image that is still arriving. Each function needs the bytes that `reading` provides.
extension JPEGReader {
  /// Provides all bytes received so far while `body` runs. Only the new bytes are read.
  func reading<Result>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: () throws(ImageError) -> Result
  ) throws(ImageError) -> Result {
    guard vitrine_jpeg_hand_over(handle, bytes.baseAddress, bytes.count) else {
      throw .decoding(.jpeg, message: "fewer bytes than before")
    }
    defer { vitrine_jpeg_let_go(handle, bytes.count) }
    return try body()
  }

  /// Returns true once everything before the pixels has arrived. Must not be called again after that.
  func readHeader() throws(ImageError) -> Bool {
    let result = vitrine_jpeg_read_header_in_part(handle)
    guard result >= 0 else { throw failure }
    return result > 0
  }

  /// True if the image is encoded in progressive mode: a coarse version first, then refinements.
  var isProgressive: Bool { handle.pointee.info.progressive_mode != 0 }

  /// The size in bytes of the coefficients of an image with several scans, two bytes each; 0 for other images. Valid
  /// after `start`.
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

  /// The number of scans and rows received so far.
  struct ScanProgress: Hashable {
    /// The number of the newest scan.
    var scan = 0
    /// The rows of blocks received of the newest scan.
    var blockRow = 0
    /// The number of the last complete scan; 0 if there is none.
    var lastCompleteScan = 0
    var isComplete = false
  }

  /// Unpacks the coefficients of the new bytes.
  func readCoefficients() throws(ImageError) -> ScanProgress {
    guard vitrine_jpeg_read_coefficients(handle) else { throw failure }
    return ScanProgress(
      scan: Int(handle.pointee.info.input_scan_number), blockRow: Int(handle.pointee.info.input_iMCU_row),
      lastCompleteScan: Int(vitrine_jpeg_last_complete_scan(handle)),
      isComplete: jpeg_input_complete(&handle.pointee.info) != 0)
  }

  /// Calls `body`, which must read all rows. They show a complete scan, refined by the received part of later scans.
  func showing(scan: Int, _ body: () throws(ImageError) -> Void) throws(ImageError) {
    guard vitrine_jpeg_show_scan(handle, Int32(scan)) else { throw failure }
    try body()
    guard vitrine_jpeg_hide_scan(handle) else { throw failure }
  }
}
