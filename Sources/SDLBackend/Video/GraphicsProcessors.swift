import Glibc

/// The graphics processors that the machine may have, found without an OpenGL context: on a machine without one, Mesa
/// would load a shader compiler and take 100 MB.
struct GraphicsProcessors: Hashable {
  /// The names of the accessible render nodes in /dev/dri.
  let nodes: [String]

  /// Kernel drivers that have a render node without a graphics processor.
  private static let driversWithoutProcessor: Set<String> = ["vgem", "vkms"]

  /// Reads the machine's devices. `root` is put before each path.
  init(root: String) {
    nodes = DeviceFiles.entries(root + "/sys/class/drm").filter { name in
      let device = root + "/sys/class/drm/\(name)/device"
      return name.hasPrefix("renderD") && access(root + "/dev/dri/" + name, R_OK | W_OK) == 0
        && !Self.driversWithoutProcessor.contains(DeviceFiles.linkedName(device + "/driver"))
        && !Self.lacks3D(device)
    }
  }

  /// Returns true if a device is the emulated card of a virtual machine (virtio-gpu) without 3D, the first of its
  /// feature bits. Depending on the kernel, the device is a virtio device, or a PCI device with a virtio device below.
  private static func lacks3D(_ device: String) -> Bool {
    let below = DeviceFiles.entries(device).filter { $0.hasPrefix("virtio") }.map { device + "/" + $0 }
    return ([device] + below).contains { folder in
      DeviceFiles.linkedName(folder + "/driver") == "virtio_gpu"
        && DeviceFiles.firstLine(folder + "/features").hasPrefix("0")
    }
  }
}
