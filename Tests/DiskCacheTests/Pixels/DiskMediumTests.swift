import Foundation
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// The speed to expect of the disk that holds the pixels.
struct DiskMediumTests {
  private let fixture = DiskFixture()

  /// Creates a part of sysfs: a disk 179:0 with a partition 179:2, as the kernel shows them.
  private func makeKernel(type: String?) throws -> String {
    let kernel = "\(fixture.folder)/sys"
    let disk = "\(kernel)/devices/mmc0/block/mmcblk0"
    for folder in ["\(disk)/mmcblk0p2", "\(disk)/device", "\(kernel)/dev/block"] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    if let type { try Data("\(type)\n".utf8).write(to: URL(filePath: "\(disk)/device/type")) }
    for (number, path) in [("179:0", "mmcblk0"), ("179:2", "mmcblk0/mmcblk0p2")] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(kernel)/dev/block/\(number)",
        withDestinationPath: "../../devices/mmc0/block/\(path)")
    }
    return kernel
  }

  private func medium(minor: UInt64, in kernel: String) -> DiskMedium {
    DiskMedium(of: 179 << 8 | minor, kernel: kernel, system: LinuxDiskSystem())
  }

  @Test(
    "the medium of a disk and of its partition is known",
    arguments: [
      ("SD", .sdCard), ("MMC", .eMMC), ("SDIO", .other), ("", .other), (nil, .other),
    ] as [(String?, DiskMedium)])
  func mediumIsKnown(type: String?, medium: DiskMedium) throws {
    let kernel = try makeKernel(type: type)
    #expect(self.medium(minor: 0, in: kernel) == medium)
    #expect(self.medium(minor: 2, in: kernel) == medium)
    #expect(self.medium(minor: 3, in: kernel) == .other, "an unknown device")
  }

  @Test(
    "large numbers of a device are composed as by makedev(3)",
    arguments: [(0xFFF, 0xFF, 0xFFFFF), (0x1234, 0x5678_9ABC, 0x1567_89A2_34BC)])
  func largeDeviceNumberIsKnown(major: UInt32, minor: UInt32, device: UInt64) throws {
    let kernel = try makeKernel(type: "SD")
    try FileManager.default.createSymbolicLink(
      atPath: "\(kernel)/dev/block/\(major):\(minor)",
      withDestinationPath: "../../devices/mmc0/block/mmcblk0")
    #expect(DiskMedium(of: device, kernel: kernel, system: LinuxDiskSystem()) == .sdCard)
    #expect(DiskMedium(of: ~device, kernel: kernel, system: LinuxDiskSystem()) == .other)
  }

  @Test("the pixel cache states the speed of its disk once it has opened its folder")
  func pixelCacheStatesTheSpeedOfItsDisk() throws {
    let kernel = try makeKernel(type: "SD")
    let system = FaultySystem()
    system.changeStatus { $0.st_dev = 179 << 8 | 2 }
    system.redirect("/sys/", to: "\(kernel)/")
    let cache = fixture.pixels(on: system)
    #expect(cache.readSpeed == DiskMedium.other.readSpeed)
    cache.limits.readSpeed = 30e6
    #expect(cache.readSpeed == 30e6)
    cache.limits.readSpeed = nil

    #expect(cache.store(pixelImage(), isAnimated: false, for: pixelKey(1), of: body(1)))

    #expect(cache.readSpeed == DiskMedium.sdCard.readSpeed)
    #expect(fixture.pixels().readSpeed == DiskMedium.other.readSpeed, "before its first access")
    let ofSeed = DiskPixelCache(
      directory: fixture.folder, access: .keepingReaders, limits: .init(), clock: fixture.clock,
      wallClock: { 0 }, system: system)
    _ = ofSeed.pixels(for: pixelKey(1), of: body(1)) { _ in }
    #expect(ofSeed.readSpeed == DiskMedium.other.readSpeed, "the programs that read a seed have other disks")
  }
}
