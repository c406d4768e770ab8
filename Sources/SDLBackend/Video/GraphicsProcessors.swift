import Glibc

/// Whether there may be a graphics processor, found out without a context of OpenGL: on a machine without one, that
/// would load a compiler of shaders and take 100 MB to say so.
nonisolated struct GraphicsProcessors: Hashable {
  /// Devices of /dev/dri that may be drawn with.
  let nodes: [String]

  /// Drivers of the kernel's own that have such a device and nothing behind it.
  private static let pretenders: Set<String> = ["vgem", "vkms"]

  /// Looks at the machine's devices; `root` is put before each path.
  init(root: String) {
    nodes = DeviceFiles.entries(root + "/sys/class/drm").filter { name in
      let device = root + "/sys/class/drm/\(name)/device"
      return name.hasPrefix("renderD") && access(root + "/dev/dri/" + name, R_OK | W_OK) == 0
        && !Self.pretenders.contains(DeviceFiles.linkedName(device + "/driver")) && !Self.isFlat(device)
    }
  }

  /// Whether a device is the emulated card of a virtual machine (virtio-gpu) without 3D, the first of its features. It
  /// is a device of virtio, or one of PCI with that one below it, as kernels will have it.
  private static func isFlat(_ device: String) -> Bool {
    let below = DeviceFiles.entries(device).filter { $0.hasPrefix("virtio") }.map { device + "/" + $0 }
    return ([device] + below).contains { folder in
      DeviceFiles.linkedName(folder + "/driver") == "virtio_gpu"
        && DeviceFiles.firstLine(folder + "/features").hasPrefix("0")
    }
  }
}
