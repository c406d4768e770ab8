import Glibc

/// The kind of disk that holds a folder, as far as the kernel tells.
enum DiskMedium {
  case sdCard
  /// Flash memory on the board (eMMC).
  case eMMC
  /// Any other disk, and one of which nothing is known.
  case other

  /// The number of bytes that are read in a second, for decisions that need no exact figure.
  ///
  /// An SD card transfers 25 to 50 MB/s in the modes of most boards (High Speed, DDR50), an eMMC 100 MB/s and more
  /// (DDR52, HS200), and a SATA disk 400 MB/s and more.
  var readSpeed: Double {
    switch self {
    case .sdCard: 40e6
    case .eMMC: 150e6
    case .other: 400e6
    }
  }

  /// Finds the medium of a device by the attribute `type` of its card in sysfs, which is `SD` or `MMC` for cards of the
  /// kernel's MMC subsystem. The medium below a USB reader, an encrypted or a logical volume or an overlay is not known.
  ///
  /// - Parameter kernel: The path at which sysfs is mounted.
  init(of device: UInt64, kernel: String = "/sys", system: any DiskSystem) {
    // The numbers of a device as in `gnu_dev_major` and `gnu_dev_minor`.
    let major = device >> 8 & 0xFFF | device >> 32 & 0xFFFF_F000
    let minor = device & 0xFF | device >> 12 & 0xFFFF_FF00
    let folder = "\(kernel)/dev/block/\(major):\(minor)"
    self = .other
    // The folder of a partition is in that of its disk.
    for path in ["\(folder)/device/type", "\(folder)/../device/type"] {
      switch Self.text(of: path, system) {
      case "SD": self = .sdCard
      case "MMC": self = .eMMC
      default: continue
      }
      return
    }
  }

  /// Returns the first word of a file; nil if the file cannot be read.
  private static func text(of path: String, _ system: any DiskSystem) -> String? {
    guard let file = try? Descriptor(path, flags: O_RDONLY, followsLink: true, system: system) else {
      return nil
    }
    let bytes = [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
      let buffer = UnsafeMutableRawBufferPointer(buffer)
      count = (try? Descriptor.read(file.number, into: buffer, at: 0, system: system)) ?? 0
    }
    return String(decoding: bytes.prefix { $0 > UInt8(ascii: " ") }, as: UTF8.self)
  }
}
