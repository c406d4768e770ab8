import CFuzzer
import Glibc
import VitrineGraphics

/// `Fuzz SUBJECT [LIBFUZZER-OPTION…] [FOLDER-OR-FILE…]`; `./run.sh fuzz` says what to pass.
@main
enum Fuzz {
  static func main() {
    guard subject != nil else { exit(2) }
    // libFuzzer never sees the subject's name.
    var count = CommandLine.argc - 1
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
    exit(
      LLVMFuzzerRunDriver(&count, &arguments) { start, count in
        let bytes = Array(UnsafeBufferPointer(start: start, count: count))
        // -1 keeps the bytes out of the corpus.
        return Fuzz.subject?.take(bytes) == true ? 0 : -1
      })
  }

  private static let subject = CommandLine.arguments.dropFirst().first.flatMap(Subject.init)
}

/// What can be fuzzed.
private enum Subject: String {
  case jpeg, png, webp, gif, exif, feed, script, head, range, date, freshness, stored

  /// Feeds it. It may refuse the bytes, whatever they are, but not trap, hang, leak or touch what is not its own.
  ///
  /// - Returns: whether the bytes are worth keeping as a start for others.
  func take(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .jpeg: Pictures.take(bytes, as: .jpeg)
    case .png: Pictures.take(PNGChecksums.mended(bytes), as: .png)
    case .webp: Pictures.take(bytes, as: .webp)
    case .gif: Pictures.take(bytes, as: .gif)
    case .exif: ExifBlocks.take(bytes)
    case .feed: FeedTexts.take(bytes)
    case .script: ScriptTexts.take(bytes)
    case .head: ResponseHeads.take(bytes)
    case .range: ResumedBodies.take(bytes)
    case .date: Dates.take(bytes)
    case .freshness: StoredResponses.take(bytes)
    case .stored: StoredFiles.take(bytes)
    }
  }
}
