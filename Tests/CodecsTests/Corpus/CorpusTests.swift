import FoundationEssentials
import Glibc
import Testing

/// `VITRINE_CORPUS=FOLDER ./run.sh test Corpus` decodes every file under a folder, each in its own process.
@Suite(.serialized)
struct CorpusTests {
  private static let folder = ProcessInfo.processInfo.environment["VITRINE_CORPUS"] ?? ""

  @Test(
    "every file of the corpus is decoded or refused within the limits of time and memory",
    .enabled(if: !folder.isEmpty, "VITRINE_CORPUS names no folder"))
  func everyFileIsDecodedOrRefusedWithinItsLimits() throws {
    var counts: [CorpusVerdict: Int] = [:]
    let files = try FileManager.default.subpathsOfDirectory(atPath: Self.folder).sorted()

    for file in files.map({ Self.folder + "/" + $0 }) where Self.isRegular(file) {
      let verdict = try CorpusVerdict(of: file)
      counts[verdict, default: 0] += 1
      switch verdict {
      case .decoded, .refused: break
      case .crashed, .hung, .overMemory: Issue.record("\(verdict): \(file)")
      }
    }

    print(Self.report(counts))
    #expect(!counts.isEmpty, "no files in \(Self.folder)")
  }

  /// True for regular files and links to them.
  private static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private static func report(_ counts: [CorpusVerdict: Int]) -> String {
    var refused: [String: Int] = [:]
    var crashed = 0
    for (verdict, count) in counts {
      if case .refused(let error) = verdict { refused[error] = count }
      if case .crashed = verdict { crashed += count }
    }
    let reasons = refused.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    return """
      corpus: \(counts.values.reduce(0, +)) files, \(counts[.decoded] ?? 0) decoded, \
      \(refused.values.reduce(0, +)) refused\(reasons.isEmpty ? "" : " (\(reasons))"), \
      \(crashed) crashed, \(counts[.hung] ?? 0) hung, \(counts[.overMemory] ?? 0) over memory
      """
  }
}

/// The verdicts that the corpus test relies on.
@Suite(.timeLimit(.minutes(5)))
struct CorpusVerdictTests {
  private let path = "/tmp/vitrine-corpus-\(UUID().uuidString)"

  private func verdict(on bytes: [UInt8], memory: Int = 2 << 30) throws -> CorpusVerdict {
    try Data(bytes).write(to: URL(filePath: path))
    defer { unlink(path) }
    return try CorpusVerdict(of: path, memory: memory)
  }

  @Test func imagesAreDecodedAndOtherFilesRefused() throws {
    let image = PNGFixture(width: 3, height: 2) { x, y in [x, y, 0, 255] }.bytes

    #expect(try verdict(on: image) == .decoded)
    #expect(try verdict(on: image.dropLast(20)) == .refused("decoding(png)"))
    #expect(try verdict(on: [1, 2, 3]) == .refused("notAnImage"))
    #expect(try verdict(on: []) == .refused("emptyBody"))
  }

  @Test func unreadableFileIsReportedAsCrash() throws {
    #expect(try CorpusVerdict(of: path) == .crashed("exit code 3"))
  }

  @Test func processEndedByASignalHasCrashed() throws {
    // A script written here could still be open in a process that another test starts: “text file busy”.
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let program = folder.appending(path: "../../Support/crash.sh").path

    #expect(try CorpusVerdict(of: path, program: program) == .crashed("signal \(SIGSEGV)"))
  }

  @Test func processEndedByItsAlarmHung() throws {
    mkfifo(path, 0o600)
    defer { unlink(path) }

    // The probe opens a named pipe without a writer and blocks.
    #expect(try CorpusVerdict(of: path, seconds: 1) == .hung)
  }

  @Test(.disabled(if: CorpusVerdict.isSanitized, "a sanitizer takes all address space"))
  func imageBeyondTheMemoryLimitIsOverMemory() throws {
    let image = PNGFixture(width: 600, height: 600, depth: 1, colorType: 0) { _, _ in [0] }.bytes

    #expect(try verdict(on: image) == .decoded)
    // Less than the process has when it starts, so that each allocation fails.
    #expect(try verdict(on: image, memory: 1 << 20) == .overMemory)
  }
}
