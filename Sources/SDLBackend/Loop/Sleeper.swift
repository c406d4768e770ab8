import CSDL
import Glibc

/// Waits for events of the loop without using the processor.
///
/// SDL's own wait polls every millisecond on KMSDRM, dummy and offscreen, and does not include the main queue. This
/// type therefore waits in one `ppoll` for all descriptors: the main queue, the signals, and the connection to the
/// display server or, without a display server, the input devices that SDL has opened.
@MainActor
final class Sleeper {
  private let mainQueue: Int32
  private let signals: Int32
  private let display: Int32
  private let grabsKeyboards: Bool
  /// True if input devices are polled: without a display server, or for game controllers, whose events a display server
  /// does not pass on.
  var watchesDevices: Bool
  /// The descriptors of input devices, and the announcing descriptors (udev's socket or inotify), which report added
  /// and removed devices.
  private var devices: [Int32] = []
  /// Descriptors that are no longer polled because they would stay readable for ever: removed devices that SDL has not
  /// closed, and announcing descriptors that SDL does not read.
  private var ignored: Set<Int32> = []
  /// Announcing descriptors that were still readable after the last turn.
  private var unread: Set<Int32> = []

  /// Creates a sleeper. On KMSDRM, also grabs the keyboards.
  init(mainQueue: MainQueue, signals: QuitSignals, video: VideoSession) {
    self.mainQueue = mainQueue.descriptor ?? -1
    self.signals = signals.descriptor
    display = DisplayConnection.descriptor(of: video) ?? -1
    watchesDevices = display < 0
    grabsKeyboards = video.driver == "kmsdrm"
    scanDevices()
  }

  /// Waits until a descriptor is readable or the time in seconds has passed; `infinity` waits without a limit.
  func wait(upTo seconds: Double) {
    var descriptors = ([mainQueue, signals, display] + devices).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    let count = UInt(descriptors.count)
    if seconds.isFinite {
      // At most a day, so that the conversion to nanoseconds does not overflow.
      let nanoseconds = Int64(max(0, min(86400, seconds)) * 1e9)
      var timeout = timespec(
        tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
      _ = vitrine_poll(&descriptors, count, &timeout)
    } else {
      _ = vitrine_poll(&descriptors, count, nil)
    }
    isMainQueueReady = descriptors[0].revents != 0
    isDisplayLost = Self.hasHungUp(descriptors[2])
    areDevicesReady = descriptors[3...].contains { $0.revents != 0 }
    for device in descriptors[3...] where device.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 {
      ignored.insert(device.fd)
      devices.removeAll { $0 == device.fd }
    }
  }

  /// True if the last wait ended with work on the main queue.
  private(set) var isMainQueueReady = false
  /// True if the last wait ended with a readable device descriptor.
  private(set) var areDevicesReady = false
  /// True if the display server has ended or closed the connection, as of the last wait or check.
  private(set) var isDisplayLost = false

  /// Checks without waiting if the display server is gone.
  func checkDisplay() {
    guard display >= 0, !isDisplayLost else { return }
    var descriptor = pollfd(fd: display, events: 0, revents: 0)
    var timeout = timespec()
    _ = vitrine_poll(&descriptor, 1, &timeout)
    isDisplayLost = Self.hasHungUp(descriptor)
  }

  private static func hasHungUp(_ descriptor: pollfd) -> Bool {
    descriptor.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0
  }

  /// Stops polling announcing descriptors that were readable after both the last turn and this one, although SDL has
  /// handled all its events: SDL does not read them.
  func ignoreUnread() {
    var descriptors = devices.filter { !InputDescriptor.isDevice($0) }.map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    var timeout = timespec()
    _ = vitrine_poll(&descriptors, UInt(descriptors.count), &timeout)
    let readable = Set(descriptors.filter { $0.revents != 0 }.map(\.fd))
    ignored.formUnion(readable.intersection(unread))
    devices.removeAll(where: ignored.contains)
    unread = readable
  }

  /// Updates the list of devices that SDL has open. SDL has no function for this, so it looks at the types of the
  /// process's descriptors.
  func scanDevices() {
    guard watchesDevices else { return }
    let open = (0..<Int32(256)).filter { InputDescriptor.isRelevant($0) }
    ignored.formIntersection(open)
    devices = open.filter { !ignored.contains($0) }
    if grabsKeyboards { devices.forEach(KeyboardGrab.grabIfKeyboard) }
  }
}

/// Recognizes input devices and announcing descriptors (udev's socket, inotify) among the descriptors of the process.
private enum InputDescriptor {
  static func isRelevant(_ descriptor: Int32) -> Bool { isDevice(descriptor) || announcesDevices(descriptor) }

  static func isDevice(_ descriptor: Int32) -> Bool {
    var status = stat()
    // Major 13 is the kernel's input layer; the minors of /dev/input/event0… begin at 64.
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return false }
    let major = (status.st_rdev >> 8) & 0xFFF
    let minor = status.st_rdev & 0xFF | (status.st_rdev >> 12) & 0xFFF00
    return major == 13 && minor >= 64
  }

  private static func announcesDevices(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return false }
    switch status.st_mode & S_IFMT {
    case S_IFSOCK:
      var domain: Int32 = 0
      var socketProtocol: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      guard getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0, domain == AF_NETLINK else {
        return false
      }
      let kernelEvents: Int32 = 15  // NETLINK_KOBJECT_UEVENT
      return getsockopt(descriptor, SOL_SOCKET, SO_PROTOCOL, &socketProtocol, &length) == 0
        && socketProtocol == kernelEvents
    case 0: return isInotify(descriptor)
    default: return false
    }
  }

  /// Returns true for an inotify descriptor, with which SDL watches `/dev/input` if there is no udev.
  private static func isInotify(_ descriptor: Int32) -> Bool {
    var target = [UInt8](repeating: 0, count: 32)
    let length = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
    return length > 0 && target.prefix(length).elementsEqual("anon_inode:inotify".utf8)
  }
}
