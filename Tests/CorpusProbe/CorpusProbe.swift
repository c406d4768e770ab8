import Glibc
import VitrineCodecs
import VitrineGraphics
import VitrineLoading

/// `CorpusProbe MEMORY SECONDS FILE` decodes a file for a tile and in full size, and prints each result.
///
/// MEMORY is the limit of address space in bytes, 0 for no limit. After SECONDS an alarm ends the process.
///
/// `CorpusProbe --peak WIDTH HEIGHT FILE` decodes a file to fill a box, or in full size if WIDTH is 0. It prints the
/// number of bytes that the codecs predict, and the bytes by which the process's peak memory has grown.
@main
struct CorpusProbe {
  static func main() {
    let arguments = CommandLine.arguments
    if arguments.count == 5, arguments[1] == "--peak" { return measure(arguments) }
    guard arguments.count == 4, let memory = UInt(arguments[1]), let seconds = UInt32(arguments[2]) else {
      exit(2)
    }
    if memory > 0 {
      var limit = rlimit(rlim_cur: memory, rlim_max: memory)
      setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    }
    alarm(seconds)
    guard let bytes = read(arguments[3]) else { exit(3) }
    for target in [DecodeTarget(width: 160, height: 120), nil] {
      do throws(ImageError) {
        _ = try ImageCodecs().decode(bytes, options: DecodeOptions(target: target))
        print("decoded")
      } catch {
        print(name(of: error))
        break
      }
    }
  }

  private static func measure(_ arguments: [String]) {
    alarm(60)
    guard let bytes = read(arguments[4]), let width = Int(arguments[2]), let height = Int(arguments[3]) else {
      exit(3)
    }
    let options = DecodeOptions(target: width > 0 ? DecodeTarget(width: width, height: height) : nil)
    // Excludes the memory that libraries allocate on first use.
    _ = try? ImageCodecs().decode(Array(bytes.prefix(bytes.count / 2)), options: DecodeOptions())
    let needed = ImageCodecs().memoryNeeded(for: bytes, options: options)
    PixelMemory.shared.trim()
    let file = open("/proc/self/clear_refs", O_WRONLY)
    _ = write(file, "5", 1)
    close(file)
    let before = peak
    do {
      _ = try ImageCodecs().decode(bytes, options: options)
    } catch {
      print(name(of: error))
      return
    }
    print("needed", needed, "taken", peak - before)
  }

  /// The peak resident memory in bytes.
  private static var peak: Int {
    guard let status = read("/proc/self/status"),
      let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first(where: {
        $0.hasPrefix("VmHWM:")
      })
    else { exit(4) }
    return 1024 * (line.split(whereSeparator: { $0 == " " || $0 == "\t" }).compactMap { Int($0) }.first ?? 0)
  }

  /// Reads a file up to the downloader's limit of 64 MiB.
  private static func read(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < 64 << 20, case let count = Glibc.read(file, &chunk, chunk.count), count != 0 {
      guard count > 0 else { return nil }
      bytes += chunk[..<count]
    }
    return bytes
  }

  /// The case of the error, without details of the file.
  private static func name(of error: ImageError) -> String {
    switch error {
    case .decoding(let format, _): "decoding(\(format.rawValue))"
    case .tooLarge(.side): "tooLarge(side)"
    case .tooLarge(.pixels): "tooLarge(pixels)"
    case .notAnImage: "notAnImage"
    case .emptyBody: "emptyBody"
    default: "\(error)"
    }
  }
}
