import CCodecs
import Glibc
import VitrineGraphics

/// Writes JPEG files with libjpeg.
struct JPEGFixture {
  /// The color model of the samples.
  enum Model {
    case rgb, gray
    /// CMYK, inverted as Adobe writes it; stored as CMYK or as YCCK.
    case cmyk, ycck
  }

  var width: Int
  var height: Int
  var model = Model.rgb
  var quality: Int32 = 95
  /// True to store chroma for a quarter of the pixels, as in most files.
  var subsamples = false
  var isProgressive = false
  /// The number of scans of a progressive image with one component: first the DC coefficients, then one scan per
  /// frequency. `nil` for the usual ten scans of three components.
  var scanCount: Int?
  /// The scans of a progressive image, as libjpeg describes them; `nil` for the usual ten.
  var script: [jpeg_scan_info]?
  /// True to store all components in one scan, false for one scan per component.
  var isInterleaved = true
  /// True for arithmetic instead of Huffman coding.
  var isArithmetic = false
  /// The number of blocks between restart markers; 0 for none.
  var restartInterval: UInt32 = 0
  /// The Exif segment after the signature.
  var exif: [UInt8]?
  /// The color profile after the Exif segment.
  var profile: [UInt8]?
  /// True to repeat the first row, so that a large image is made quickly.
  var repeatsFirstRow = false
  /// The samples of a pixel: 3, 1 or 4, depending on the model.
  var samples: (_ x: Int, _ y: Int) -> [UInt8]

  init(width: Int, height: Int, color: @escaping (_ x: Int, _ y: Int) -> Color) {
    self.width = width
    self.height = height
    samples = { x, y in
      let color = color(x, y)
      return [color.red, color.green, color.blue]
    }
  }

  /// The whole file.
  var bytes: [UInt8] {
    let info = UnsafeMutablePointer<jpeg_compress_struct>.allocate(capacity: 1)
    let errors = UnsafeMutablePointer<jpeg_error_mgr>.allocate(capacity: 1)
    defer {
      info.deallocate()
      errors.deallocate()
    }
    info.initialize(to: jpeg_compress_struct())
    info.pointee.err = jpeg_std_error(errors)
    jpeg_CreateCompress(info, JPEG_LIB_VERSION, MemoryLayout<jpeg_compress_struct>.size)
    defer { jpeg_destroy_compress(info) }
    var buffer: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    jpeg_mem_dest(info, &buffer, &count)
    defer { free(buffer) }
    configure(info)
    var scans = (0..<info.pointee.num_components).map { index in
      jpeg_scan_info(comps_in_scan: 1, component_index: (index, 0, 0, 0), Ss: 0, Se: 63, Ah: 0, Al: 0)
    }
    if let scanCount {
      scans = (0..<Int32(scanCount)).map { scan in
        jpeg_scan_info(
          comps_in_scan: 1, component_index: (0, 0, 0, 0), Ss: scan, Se: scan, Ah: 0, Al: 0)
      }
    }
    if let script { scans = script }
    return scans.withUnsafeMutableBufferPointer { scans in
      if !isInterleaved || scanCount != nil || script != nil {
        info.pointee.scan_info = UnsafePointer(scans.baseAddress)
        info.pointee.num_scans = Int32(scans.count)
      }
      jpeg_start_compress(info, 1)
      if let exif {
        let payload = Array("Exif\0\0".utf8) + exif
        jpeg_write_marker(info, 0xE1, payload, UInt32(payload.count))
      }
      if let profile, !profile.isEmpty { jpeg_write_icc_profile(info, profile, UInt32(profile.count)) }
      var row: [UInt8] = []
      for y in 0..<height {
        if y == 0 || !repeatsFirstRow { row = (0..<width).flatMap { samples($0, y) } }
        row.withUnsafeMutableBufferPointer { row in
          var start = row.baseAddress
          _ = jpeg_write_scanlines(info, &start, 1)
        }
      }
      jpeg_finish_compress(info)
      return Array(UnsafeBufferPointer(start: buffer, count: Int(count)))
    }
  }

  private func configure(_ info: UnsafeMutablePointer<jpeg_compress_struct>) {
    info.pointee.image_width = UInt32(width)
    info.pointee.image_height = UInt32(height)
    let (components, space): (Int32, J_COLOR_SPACE) =
      switch model {
      case .rgb: (3, JCS_RGB)
      case .gray: (1, JCS_GRAYSCALE)
      case .cmyk, .ycck: (4, JCS_CMYK)
      }
    info.pointee.input_components = components
    info.pointee.in_color_space = space
    jpeg_set_defaults(info)
    if model == .ycck { jpeg_set_colorspace(info, JCS_YCCK) }
    jpeg_set_quality(info, quality, 1)
    if !subsamples {
      info.pointee.comp_info[0].h_samp_factor = 1
      info.pointee.comp_info[0].v_samp_factor = 1
    }
    if isProgressive { jpeg_simple_progression(info) }
    info.pointee.arith_code = isArithmetic ? 1 : 0
    info.pointee.restart_interval = restartInterval
  }
}

extension JPEGFixture {
  /// A file with edges, slopes and noise, gray or with three components.
  static func edgesAndNoise(width: Int, height: Int, _ model: Model) -> JPEGFixture {
    var fixture = JPEGFixture(width: width, height: height) { _, _ in .white }
    let isGray = model == .gray
    fixture.samples = { x, y in
      let noise = UInt8(truncatingIfNeeded: (x &* 7919 ^ y &* 104_729) % 61)
      let level = UInt8((x * 3 + y * 2) % 195) &+ noise
      return isGray ? [level] : [level, x / 9 % 2 == 0 ? 255 : noise, y / 13 % 2 == 0 ? 0 : level]
    }
    fixture.model = model
    return fixture
  }
}

/// Exif data with a maker and an orientation.
func exif(orientation: UInt16, isBigEndian: Bool = false) -> [UInt8] {
  func bytes(_ value: Int, _ count: Int) -> [UInt8] {
    let little = (0..<count).map { UInt8(value >> ($0 * 8) & 255) }
    return isBigEndian ? little.reversed() : little
  }
  let header = Array((isBigEndian ? "MM" : "II").utf8) + bytes(42, 2) + bytes(8, 4)
  let make = bytes(0x010F, 2) + bytes(2, 2) + bytes(4, 4) + Array("ABC\0".utf8)
  let tag = bytes(0x0112, 2) + bytes(3, 2) + bytes(1, 4) + bytes(Int(orientation), 2) + [0, 0]
  return header + bytes(2, 2) + make + tag + bytes(0, 4)
}
