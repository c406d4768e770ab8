import CSDL
import Glibc

/// Waits for whatever can concern the loop, without using the processor meanwhile.
///
/// SDL's own waiting polls each millisecond on KMSDRM, dummy and offscreen, and cannot see the main queue. So the
/// descriptors behind everything are waited for in one `ppoll`: the main queue, the signals, the connection to the
/// display server or, without one, the input devices that SDL has opened.
final class Sleeper {
  private let mainQueue: Int32
  private let signals: Int32
  private let display: Int32
  private let grabsKeyboards: Bool
  /// Whether input devices are waited for: without a display server, which speaks for them, or for game controllers,
  /// for which it does not.
  var watchesDevices: Bool
  /// Input devices, and udev's socket or inotify's descriptor, which tell that there are others.
  private var devices: [Int32] = []
  /// Devices that are unplugged and that SDL has not closed, and what nobody reads: they would stay readable for ever.
  private var gone: Set<Int32> = []
  /// What tells of devices and was left unread once.
  private var unread: Set<Int32> = []

  /// On KMSDRM it also takes the keyboards from the console.
  init(mainQueue: MainQueue, signals: QuitSignals, video: VideoSession) {
    self.mainQueue = mainQueue.descriptor ?? -1
    self.signals = signals.descriptor
    display = DisplayConnection.descriptor(of: video) ?? -1
    watchesDevices = display < 0
    grabsKeyboards = video.driver == "kmsdrm"
    scanDevices()
  }

  /// Waits until something can be read or until the time is over, in seconds; `infinity` waits as long as it takes.
  func wait(upTo seconds: Double) {
    var descriptors = ([mainQueue, signals, display] + devices).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    let count = UInt(descriptors.count)
    if seconds.isFinite {
      // A day is as good as any longer time.
      let nanoseconds = Int64(max(0, min(86400, seconds)) * 1e9)
      var timeout = timespec(
        tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
      _ = vitrine_poll(&descriptors, count, &timeout)
    } else {
      _ = vitrine_poll(&descriptors, count, nil)
    }
    isMainQueueReady = descriptors[0].revents != 0
    isDisplayGone = Self.hasHungUp(descriptors[2])
    areDevicesReady = descriptors[3...].contains { $0.revents != 0 }
    for device in descriptors[3...] where device.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 {
      gone.insert(device.fd)
      devices.removeAll { $0 == device.fd }
    }
  }

  /// Whether the last wait ended with work on the main queue.
  private(set) var isMainQueueReady = false
  /// Whether it ended with something from a device.
  private(set) var areDevicesReady = false
  /// Whether the display server had ended by then, or let go of this program.
  private(set) var isDisplayGone = false

  /// Asks again whether the display server is gone, without waiting.
  func checkDisplay() {
    guard display >= 0, !isDisplayGone else { return }
    var descriptor = pollfd(fd: display, events: 0, revents: 0)
    var timeout = timespec()
    _ = vitrine_poll(&descriptor, 1, &timeout)
    isDisplayGone = Self.hasHungUp(descriptor)
  }

  private static func hasHungUp(_ descriptor: pollfd) -> Bool {
    descriptor.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0
  }

  /// Stops waiting for what tells of new devices and is left unread, as by now and the last time, by an SDL that has
  /// taken all its events.
  func ignoreUnread() {
    var descriptors = devices.filter { !InputDescriptor.isDevice($0) }.map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    var timeout = timespec()
    _ = vitrine_poll(&descriptors, UInt(descriptors.count), &timeout)
    let still = Set(descriptors.filter { $0.revents != 0 }.map(\.fd))
    gone.formUnion(still.intersection(unread))
    devices.removeAll(where: gone.contains)
    unread = still
  }

  /// Looks again which devices SDL has open. SDL does not tell, but the kernel does.
  func scanDevices() {
    guard watchesDevices else { return }
    let open = (0..<Int32(256)).filter { InputDescriptor.isOne($0) }
    gone.formIntersection(open)
    devices = open.filter { !gone.contains($0) }
    if grabsKeyboards { devices.forEach(KeyboardGrab.take) }
  }
}

/// Tells input devices and udev's socket among the descriptors of the process.
nonisolated private enum InputDescriptor {
  static func isOne(_ descriptor: Int32) -> Bool { isDevice(descriptor) || tellsOfDevices(descriptor) }

  static func isDevice(_ descriptor: Int32) -> Bool {
    var status = stat()
    // Major 13 is the kernel's input layer; the minors of /dev/input/event0… begin at 64.
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return false }
    let major = (status.st_rdev >> 8) & 0xFFF
    let minor = status.st_rdev & 0xFF | (status.st_rdev >> 12) & 0xFFF00
    return major == 13 && minor >= 64
  }

  private static func tellsOfDevices(_ descriptor: Int32) -> Bool {
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

  /// Where there is no udev, SDL watches `/dev/input` with it.
  private static func isInotify(_ descriptor: Int32) -> Bool {
    var target = [UInt8](repeating: 0, count: 32)
    let length = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
    return length > 0 && target.prefix(length).elementsEqual("anon_inode:inotify".utf8)
  }
}
