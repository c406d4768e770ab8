import Dispatch
import Glibc
import VitrineCodecs
import VitrineGraphics
import VitrineSDLBackend
import VitrineWidgets

/// The probe's views and commands.
struct Scene {
  let host: SDLHost

  init(host: SDLHost) {
    self.host = host
    host.window.backgroundColor = Color(hex: 0x1B1E24)
    let gradient = Image(
      Bitmap(width: 256, height: 256, format: .rgba, isOpaque: true) { bytes, bytesPerRow in
        for y in 0..<256 {
          for x in 0..<256 {
            let ring = UInt32((x - 128) * (x - 128) + (y - 128) * (y - 128)) / 64 & 0xFF
            let pixel = UInt32(x) | UInt32(y) << 8 | ring << 16 | 0xFF00_0000
            bytes.storeBytes(of: pixel, toByteOffset: y * bytesPerRow + x * 4, as: UInt32.self)
          }
        }
      })
    for (index, radius) in [0.0, 8, 24, 60].enumerated() {
      let view = View(frame: Rect(x: 20 + 150 * Double(index), y: 20, width: 120, height: 120))
      view.cornerRadius = radius
      view.contents = gradient
      host.window.addSubview(view)
      let plain = View(frame: Rect(x: 20 + 150 * Double(index), y: 160, width: 120, height: 60))
      plain.cornerRadius = radius
      plain.backgroundColor = Color(hex: 0x3D7EFF, alpha: index % 2 == 0 ? 255 : 128)
      host.window.addSubview(plain)
    }
    for (index, size) in [11.0, 14, 18, 28].enumerated() {
      let label = TextView(
        text: "Vitrine shows AVATAR pictures, Größe \(Int(size)) 日本 \u{10FFFF}",
        font: Font(size: size, weight: index % 2 == 0 ? .regular : .bold))
      label.frame = Rect(x: 20, y: 240 + 36 * Double(index), width: 600, height: 40)
      host.window.addSubview(label)
    }
  }

  /// Stays idle for some seconds, prints the processor time, context switches, turns and frames of that time, and
  /// quits.
  func idle(seconds: Double) {
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.5) {
      let frames = host.frameStatistics.presented
      let before = Usage.now
      var turns = 0
      host.addTurnObserver { turns += 1 }
      DispatchQueue.main.asyncAfter(deadline: .now() + seconds) {
        let after = Usage.now
        report("cpu_ms", (after.seconds - before.seconds) * 1000)
        report("switches", after.switches - before.switches)
        report("turns", turns)
        report("idle_frames", host.frameStatistics.presented - frames)
        host.quit()
      }
    }
  }

  /// Wakes the sleeping loop by a dispatch queue, a task, a sleeping task and a signal.
  func wakes() {
    Thread.start {
      usleep(50_000)
      DispatchQueue.main.async {
        MainActor.assumeIsolated { report("dispatch", Thread.isFirst) }
        Thread.start {
          usleep(50_000)
          Task { @MainActor in
            report("task", Thread.isFirst)
            try? await Task.sleep(for: .milliseconds(20))
            report("slept", Thread.isFirst)
            kill(getpid(), SIGTERM)
          }
        }
      }
    }
  }

  func shoot(path: String) {
    host.addTurnObserver {
      guard host.window.isIdle else { return }
      try? host.screenshot().write(to: path)
      host.quit()
    }
  }
}

/// A view with one line of text.
final class TextView: View {
  private let text: String
  private let font: Font

  init(text: String, font: Font) {
    self.text = text
    self.font = font
    super.init()
  }

  override func draw(into list: inout DrawList) {
    guard let size = window?.textMeasuring.size(of: text, font: font) else { return }
    list.fill(Rect(origin: .zero, size: size), color: Color(hex: 0x2C313B))
    list.text(text, font: font, color: .white, at: .zero, size: size)
  }
}

/// Processor time and context switches of the process so far.
struct Usage {
  let seconds: Double
  let switches: Int

  static var now: Usage {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return Usage(
      seconds: seconds(usage.ru_utime) + seconds(usage.ru_stime), switches: usage.ru_nvcsw + usage.ru_nivcsw)
  }
}

enum Thread {
  static var isFirst: Bool { pthread_equal(pthread_self(), first) != 0 }
  private static let first = pthread_self()

  nonisolated static func start(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue.global().async(execute: body)
  }
}

/// Prints a word and a value without buffering, because the test waits for the line.
nonisolated func report(_ word: String, _ value: some CustomStringConvertible) {
  let line = "\(word) \(value)\n"
  _ = write(STDOUT_FILENO, line, line.utf8.count)
}
