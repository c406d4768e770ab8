import Glibc
import VitrineCodecs
import VitrineGraphics
import VitrineLoading

/// `CorpusProbe MEMORY SECONDS FILE` decodes a file as a tile and whole, and prints what came of each.
///
/// MEMORY is the most address space it may take in bytes, 0 for no limit; after SECONDS the alarm ends it.
@main
struct CorpusProbe {
  static func main() {
    let arguments = CommandLine.arguments
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

  /// As much as a downloader would take; what is longer is cut.
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

  /// The case, without what belongs to a single file.
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
