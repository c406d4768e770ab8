import CFuzzer
import Glibc
import VitrineGraphics

/// `Fuzz SUBJECT [LIBFUZZER-OPTION…] [FOLDER-OR-FILE…]`. `./run.sh fuzz` passes the arguments.
@main
enum Fuzz {
  static func main() {
    guard subject != nil else { exit(2) }
    // Hides the subject's name from libFuzzer.
    var count = CommandLine.argc - 1
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
    exit(
      LLVMFuzzerRunDriver(&count, &arguments) { start, count in
        let bytes = Array(UnsafeBufferPointer(start: start, count: count))
        // -1 keeps the bytes out of the corpus.
        return Fuzz.subject?.fuzz(bytes) == true ? 0 : -1
      })
  }

  private static let subject = CommandLine.arguments.dropFirst().first.flatMap(Subject.init)
}

/// The inputs that can be fuzzed.
private enum Subject: String {
  case jpeg, png, webp, gif, exif, feed, script, head, range, date, freshness, stored, multipart,
    playback

  /// Passes bytes to the subject, which may refuse any bytes but must not trap, hang, leak or access invalid memory.
  ///
  /// - Returns: True if the bytes are worth keeping in the corpus.
  func fuzz(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .jpeg: Images.fuzz(bytes, as: .jpeg)
    case .png: Images.fuzz(PNGChecksums.withValidChecksums(bytes), as: .png)
    case .webp: Images.fuzz(bytes, as: .webp)
    case .gif: Images.fuzz(bytes, as: .gif)
    case .exif: ExifBlocks.fuzz(bytes)
    case .feed: FeedTexts.fuzz(bytes)
    case .script: ScriptTexts.fuzz(bytes)
    case .head: ResponseHeads.fuzz(bytes)
    case .range: ResumedBodies.fuzz(bytes)
    case .date: Dates.fuzz(bytes)
    case .freshness: StoredResponses.fuzz(bytes)
    case .stored: StoredFiles.fuzz(bytes)
    case .multipart: MultipartBodies.fuzz(bytes)
    case .playback: Playbacks.fuzz(bytes)
    }
  }
}
