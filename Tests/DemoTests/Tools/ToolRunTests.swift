import DemoRuns
import Foundation
import Glibc
import Testing
import Vitrine
import VitrineGalleryServer
import VitrineTesting

/// The tools as whole programs.
@Suite(.timeLimit(.minutes(5))) struct ToolRunTests {
  /// A list of images, their server, and a folder for a cache.
  private struct World {
    let program: VitrineProgram
    let server: GalleryServer
    let feed: String

    var cache: String { program.path("images") }

    init(_ files: [String] = Self.files) throws {
      program = try VitrineProgram(keepsImages: true)
      server = try GalleryServer(images: VitrineProgram.assets)
      let lines = files.map { [base = server.baseURL] in "\(base)/gallery/buttons/\($0)" }
      feed = try program.write(lines.joined(separator: "\n"), to: "feed.txt")
    }

    static let files = ["heart-normal.png", "plate-normal.png", "play-normal.png", "star-normal.png"]

    func remove() {
      server.stop()
      program.remove()
    }

    func tool(_ arguments: String...) async throws -> VitrineProgram.Outcome {
      try await program.run(arguments: arguments)
    }

    /// Fills the cache by `prefetch`.
    func fill() async throws {
      let outcome = try await tool("prefetch", feed, "--cache", cache)
      try #require(outcome.exitCode == 0, "\(outcome.errors)")
    }

    /// Stores pixels of the images of the list, as a program that shows them does. Returns the number of images.
    @discardableResult
    func storePixels(in folder: String? = nil) throws -> Int {
      let folder = folder ?? cache
      var limits = DiskPixelCache.Limits()
      // The tests do not depend on the free space of the machine.
      limits.freeBytes = 0
      let (responses, pixels) = (
        DiskImageCache(directory: folder), DiskPixelCache(directory: folder, limits: limits)
      )
      let urls = try String(contentsOfFile: feed, encoding: .utf8).split(separator: "\n")
      for url in urls {
        let identity = RequestIdentity(try ImageRequest(String(url)))
        let body = try #require(responses.head(for: identity)).body
        let image = Image(
          Bitmap(width: 64, height: 64, format: .bgra) { x, y in
            Color(red: UInt8(x), green: UInt8(y), blue: UInt8(url.count))
          })
        let key = PixelKey(identity: identity, variant: "64x64")
        try #require(pixels.store(image, isAnimated: false, for: key, of: body))
      }
      return urls.count
    }

    /// The paths of the files with pixels.
    func packs(_ folder: String? = nil) -> [String] {
      let root = (folder ?? cache) + "/p1/packs"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
      return names.filter { $0 != "index" }.sorted().map { "\(root)/\($0)" }
    }

    /// The paths of the stored responses.
    func storedFiles(_ folder: String? = nil) -> [String] {
      let root = (folder ?? cache) + "/v3"
      let names = (try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? []
      return names.filter { $0.count == 34 && !$0.contains(".") }.sorted().map { "\(root)/\($0)" }
    }
  }

  /// The signals that interrupt a tool. A program that is started with an ignored SIGHUP ignores it as well.
  private static var endingSignals: [Int32] {
    var action = sigaction()
    sigaction(SIGHUP, nil, &action)
    let isDefault = action.__sigaction_handler.sa_handler == nil
    return [SIGTERM] + (isDefault ? [SIGHUP] : [])
  }

  private func json(_ text: String) throws -> Any { try JSONSerialization.jsonObject(with: Data(text.utf8)) }

  @Test func prefetchedImagesAreListedAndCounted() async throws {
    let world = try World()
    defer { world.remove() }

    let prefetch = try await world.tool("prefetch", world.feed, "--cache", world.cache)
    #expect(prefetch.exitCode == 0 && prefetch.output == "4 images loaded\n" && prefetch.errors.isEmpty)
    #expect(world.server.log.count == 4)
    let again = try await world.tool("prefetch", world.feed, "--cache", world.cache)
    #expect(again.exitCode == 0 && again.output == "0 images loaded, 4 already stored\n")
    #expect(world.server.log.count == 4)

    let list = try await world.tool("cache", "ls", "--cache", world.cache)
    let lines = list.output.split(separator: "\n")
    #expect(list.exitCode == 0 && lines.count == 4)
    for file in World.files {
      #expect(lines.contains { $0.hasPrefix("200 ") && $0.contains(" fresh ") && $0.hasSuffix(file) })
    }
    let rows = try #require(
      try json(try await world.tool("cache", "ls", "--json", "--cache", world.cache).output)
        as? [[String: Any]])
    #expect(rows.count == 4 && rows.allSatisfy { $0["state"] as? String == "intact" })
    #expect(
      rows.allSatisfy { $0["status"] as? Int == 200 && ($0["url"] as? String)?.hasPrefix("http") == true })
    let stat = try #require(
      try json(try await world.tool("cache", "stat", "--json", "--cache", world.cache).output)
        as? [String: Any])
    #expect(stat["images"] as? Int == 4 && stat["damaged"] as? Int == 0 && stat["fresh"] as? Int == 4)
    #expect(stat["pixels"] as? Int == 0 && stat["incomplete"] as? Int == 0)
    #expect(try await world.tool("cache", "stat", "--cache", world.cache).output.contains("images      4\n"))
  }

  @Test func pixelsAreCountedVerifiedAndRepaired() async throws {
    let world = try World()
    defer { world.remove() }
    try await world.fill()
    try world.storePixels()
    let pack = try #require(world.packs().first)

    let figures = try await world.tool("cache", "stat", "--json", "--cache", world.cache)
    let stat = try #require(try json(figures.output) as? [String: Any])
    #expect(figures.exitCode == 0 && stat["images"] as? Int == 4 && stat["pixels"] as? Int == 4)
    #expect(try #require(stat["pixel_bytes"] as? Int) >= 4 * 64 * 64 * 4)
    let text = try await world.tool("cache", "stat", "--cache", world.cache)
    #expect(text.output.contains("\npixels      4 (") && text.output.contains("\nincomplete  0 (0 B)\n"))
    let intact = try await world.tool("cache", "verify", "--cache", world.cache)
    #expect(intact.exitCode == 0)
    #expect(intact.output == "4 files checked, 0 damaged\npixels: 4 images checked, 0 damaged\n")

    var bytes = try Data(contentsOf: URL(filePath: pack))
    bytes[bytes.count - 1] ^= 1
    try bytes.write(to: URL(filePath: pack))
    let found = try await world.tool("cache", "verify", "--json", "--cache", world.cache)
    let report = try #require(try json(found.output) as? [String: Any])
    #expect(found.exitCode == 1 && report["checked"] as? Int == 4 && report["pixels_checked"] as? Int == 4)
    #expect(report["pixels_damaged"] as? Int == 1 && report["pixels_removed"] as? Int == 0)
    #expect(found.errors.contains("damaged pixels of 1 image; --repair removes them"))
    #expect(found.errors.split(separator: "\n").count == 1)
    #expect(try Data(contentsOf: URL(filePath: pack)) == bytes)
    let repaired = try await world.tool("cache", "verify", "--repair", "--cache", world.cache)
    #expect(repaired.exitCode == 0 && repaired.output.hasSuffix("4 images checked, 1 damaged, 1 removed\n"))
    let after = try await world.tool("cache", "verify", "--cache", world.cache)
    #expect(after.exitCode == 0 && after.output.hasSuffix("pixels: 3 images checked, 0 damaged\n"))
    #expect(world.storedFiles().count == 4)
  }

  @Test(
    "a tool shows a bar on a terminal, and removes it in the end",
    arguments: [
      (["verify"], "checking ["), (["trim", "--limit", "0"], "removing ["), (["clear"], "removing ["),
    ])
  func toolShowsABarOnATerminal(command: [String], bar: String) async throws {
    let world = try World()
    defer { world.remove() }
    try await world.fill()
    let terminal = try PseudoTerminal()

    let outcome = try await world.program.run(
      arguments: ["cache"] + command + ["--cache", world.cache], errorOutput: terminal.end)

    let text = terminal.text()
    #expect(outcome.exitCode == 0 && text.contains(bar) && text.contains("%"))
    #expect(text.hasSuffix("\r\u{1B}[K"), "\(text.debugDescription)")
  }

  @Test func trimAndClearRemovePixels() async throws {
    let world = try World()
    defer { world.remove() }
    try await world.fill()
    try world.storePixels()

    let none = try await world.tool("cache", "trim", "--cache", world.cache)
    #expect(none.exitCode == 0 && none.output.contains("pixels: 0 images removed (0 B), 4 left ("))
    // The images need less than a MiB, and the index of the pixels alone may need two.
    let trim = try await world.tool("cache", "trim", "--limit", "1", "--json", "--cache", world.cache)
    let report = try #require(try json(trim.output) as? [String: Int])
    #expect(trim.exitCode == 0 && report["removed"] == 0 && report["left"] == 4, "\(trim.errors)")
    #expect(report["pixels_removed"] == 4 && report["pixels_left"] == 0 && world.packs().isEmpty)

    try world.storePixels()
    let clear = try await world.tool("cache", "clear", "--cache", world.cache)
    let lines = clear.output.split(separator: "\n")
    #expect(clear.exitCode == 0 && lines.count == 2 && lines[0].hasPrefix("4 images removed ("))
    #expect(lines[1].hasPrefix("pixels: 4 images removed (") && lines[1].hasSuffix(", 0 left (0 B)"))
    #expect(world.packs().isEmpty && world.storedFiles().isEmpty)
  }

  @Test func pixelsThatAnotherProcessAddsStay() async throws {
    let world = try World()
    defer { world.remove() }
    try await world.fill()
    try world.storePixels()
    let pack = open(try #require(world.packs().first), O_RDWR | O_CLOEXEC)
    defer { close(pack) }
    #expect(flock(pack, LOCK_EX) == 0)

    let usage = DiskImageCache(inspecting: world.cache).measured().bytes
    // There is room for the images and for none of the pixels.
    let limit = "\(Double(usage + 1) / 0x1p20)"
    let trim = try await world.tool("cache", "trim", "--limit", limit, "--cache", world.cache)

    #expect(trim.exitCode == 1 && trim.output.contains("0 images removed (") && world.packs().count == 1)
    #expect(trim.errors.contains("another process adds pixels") && world.storedFiles().count == 4)
    #expect(trim.errors.split(separator: "\n").count == 1)
    // Pixels without their image are removed in any case.
    let all = try await world.tool("cache", "trim", "--limit", "0", "--cache", world.cache)
    #expect(all.exitCode == 0 && all.output.contains("pixels: 4 images removed ("), "\(all.errors)")
    #expect(world.storedFiles().isEmpty)
  }

  @Test(.enabled(if: geteuid() == 0, "needs another user"))
  func pixelsOfAnotherUserAreNotTouched() async throws {
    let world = try World()
    defer { world.remove() }
    try await world.fill()
    try world.storePixels()
    #expect(chown(world.cache + "/p1", 12345, 12345) == 0)

    for command in ["stat", "verify", "trim", "clear"] {
      let outcome = try await world.tool("cache", command, "--cache", world.cache)
      #expect(outcome.exitCode == 1 && outcome.output.isEmpty, "\(command)")
      #expect(outcome.errors.hasSuffix("\(world.cache) belongs to another user\n"), "\(outcome.errors)")
    }
    #expect(try await world.tool("cache", "ls", "--cache", world.cache).exitCode == 0)
    #expect(world.packs().count == 1 && world.storedFiles().count == 4)
    #expect(chown(world.cache + "/p1", 0, 0) == 0)
  }

  @Test func secretsAreNotListed() async throws {
    let world = try World()
    defer { world.remove() }
    let base = world.server.baseURL
    let login = base.replacingOccurrences(of: "http://", with: "http://kiosk:hidden@")
    try world.program.write(
      "\(base)/gallery/buttons/heart-normal.png?token=hidden\n\(login)/gallery/buttons/star-normal.png\n",
      to: "feed.txt")
    try await world.fill()

    let list = try await world.tool("cache", "ls", "--cache", world.cache)

    #expect(list.output.split(separator: "\n").count { $0.contains("digest:") } == 2)
    #expect(!list.output.contains("hidden") && !list.output.contains("kiosk"))
  }

  @Test func damagedFileIsReportedAndRepaired() async throws {
    let world = try World()
    defer { world.remove() }
    try await world.fill()
    let file = try #require(world.storedFiles().first)
    let bytes = try Data(contentsOf: URL(filePath: file))
    try bytes.dropLast().write(to: URL(filePath: file))

    let found = try await world.tool("cache", "verify", "--cache", world.cache)
    #expect(found.exitCode == 1 && found.output.contains("damaged  digest:\(file.suffix(32))"))
    #expect(found.output.contains("\n4 files checked, 1 damaged\n") && found.errors.contains("--repair"))
    #expect(world.storedFiles().count == 4)
    let list = try await world.tool("cache", "ls", "--cache", world.cache)
    #expect(list.exitCode == 0 && list.output.contains("damaged  digest:"))
    let export = try await world.tool("cache", "export", world.program.path("a"), "--cache", world.cache)
    #expect(export.exitCode == 1 && export.output.hasPrefix("3 images exported"))
    #expect(export.errors == "vitrine: 1 damaged file left out; see cache verify\n", "\(export.errors)")

    let repaired = try await world.tool("cache", "verify", "--repair", "--cache", world.cache)
    #expect(repaired.exitCode == 0 && repaired.output.contains("1 damaged, 1 removed"))
    #expect(world.storedFiles().count == 3)
    #expect(try await world.tool("cache", "verify", "--cache", world.cache).exitCode == 0)
  }

  @Test func trimAndClearRemoveImages() async throws {
    let world = try World()
    defer { world.remove() }
    try await world.fill()

    let none = try await world.tool("cache", "trim", "--cache", world.cache)
    #expect(none.exitCode == 0 && none.output.hasPrefix("0 images removed"))
    let trim = try await world.tool("cache", "trim", "--limit", "0", "--cache", world.cache)
    #expect(trim.exitCode == 0 && trim.output.hasPrefix("4 images removed"))
    try await world.fill()
    let clear = try await world.tool("cache", "clear", "--json", "--cache", world.cache)
    let report = try #require(try json(clear.output) as? [String: Int])
    #expect(clear.exitCode == 0 && report["removed"] == 4 && report["left"] == 0)
    #expect(world.storedFiles().isEmpty)
    let missing = try await world.tool("cache", "clear", "--cache", world.program.path("nowhere"))
    #expect(missing.exitCode == 0 && missing.output.hasPrefix("0 images removed"))
    #expect(!FileManager.default.fileExists(atPath: world.program.path("nowhere")))
  }

  @Test func exportedImagesCanBeImportedElsewhere() async throws {
    let world = try World()
    defer { world.remove() }
    try await world.fill()
    let archive = world.program.path("images.archive")
    let other = world.program.path("other")

    let export = try await world.tool("cache", "export", archive, "--cache", world.cache)
    #expect(export.exitCode == 0 && export.output.hasPrefix("4 images exported ("))
    var status = stat()
    #expect(stat(archive, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let read = try await world.tool("cache", "import", archive, "--cache", other)
    #expect(read.exitCode == 0 && read.output.hasPrefix("4 images imported ("), "\(read.errors)")
    #expect(world.storedFiles(other).count == 4)
    let again = try await world.tool("cache", "import", archive, "--json", "--cache", other)
    let report = try #require(try json(again.output) as? [String: Any])
    #expect(report["known"] as? Int == 4 && report["imported"] as? Int == 0)
    #expect(report["complete"] as? Bool == true)

    // Through standard output and input.
    let piped = try await world.tool("cache", "export", "-", "--cache", world.cache)
    #expect(piped.exitCode == 0 && piped.errors.contains("4 images exported"))
    let third = world.program.path("third")
    let copy = world.program.path("piped.archive")
    try piped.outputData.write(to: URL(filePath: copy))
    let input = try FileHandle(forReadingFrom: URL(filePath: copy))
    let stdin = try await world.program.run(
      arguments: ["cache", "import", "-", "--cache", third], input: input)
    #expect(stdin.exitCode == 0 && world.storedFiles(third).count == 4)
  }

  @Test func damagedArchiveIsImportedAsFarAsItIsIntact() async throws {
    let world = try World()
    defer { world.remove() }
    try await world.fill()
    let archive = world.program.path("images.archive")
    _ = try await world.tool("cache", "export", archive, "--cache", world.cache)
    var bytes = try Data(contentsOf: URL(filePath: archive))
    bytes[bytes.count / 2] ^= 0xFF
    try bytes.dropLast(10).write(to: URL(filePath: archive))
    let other = world.program.path("other")

    let read = try await world.tool("cache", "import", archive, "--cache", other)

    #expect(read.exitCode == 1 && read.output.hasPrefix("3 images imported"), "\(read.output)")
    #expect(read.errors.contains("everything intact was imported") && world.storedFiles(other).count == 3)
    let noArchive = try await world.tool("cache", "import", world.feed, "--cache", other)
    #expect(noArchive.exitCode == 1 && noArchive.errors.contains("is not an archive of a cache"))
    let missing = try await world.tool("cache", "import", world.program.path("nowhere"), "--cache", other)
    #expect(missing.exitCode == 1 && missing.errors.contains("No such file"))
    let target = try await world.tool("cache", "export", "/dev/null/a", "--cache", world.cache)
    #expect(target.exitCode == 1 && target.errors.contains("cannot write /dev/null/a"))
  }

  @Test func pipeOrFolderIsNotReplacedByAnArchive() async throws {
    let world = try World()
    defer { world.remove() }
    let (pipe, folder) = (world.program.path("pipe"), world.program.path("folder"))
    try #require(mkfifo(pipe, 0o600) == 0)
    let reader = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)

    // The user's own cache, which is empty, so that the archive fits into the pipe.
    let written = try await world.tool("cache", "export", pipe)
    let refused = try await world.tool("cache", "export", folder)

    #expect(written.exitCode == 0 && written.output.hasPrefix("0 images exported"), "\(written.errors)")
    var bytes = [UInt8](repeating: 0, count: 8)
    #expect(read(reader, &bytes, bytes.count) == 8 && bytes == Array("vitrarc1".utf8))
    var status = stat()
    #expect(lstat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    #expect(refused.exitCode == 1)
    #expect(refused.errors == "vitrine: cannot write \(folder): Is a directory\n", "\(refused.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: world.program.folder.path)
    #expect(!names.contains { $0.contains(".new-") })
  }

  @Test func exportFollowsALinkToItsFile() async throws {
    let world = try World()
    defer { world.remove() }
    try await world.fill()
    let (link, folder) = (world.program.path("images.archive"), world.program.path("backup"))
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let target = try world.program.write("old", to: "backup/a")
    try #require(symlink(target, link) == 0)

    let export = try await world.tool("cache", "export", link, "--cache", world.cache)

    #expect(export.exitCode == 0, "\(export.errors)")
    var status = stat()
    #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(try Data(contentsOf: URL(filePath: target)).prefix(8) == Data("vitrarc1".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a"])
    try FileManager.default.removeItem(atPath: target)
    let again = try await world.tool("cache", "export", link, "--cache", world.cache)
    #expect(again.exitCode == 0 && access(target, F_OK) == 0, "the file need not exist")
    try FileManager.default.removeItem(atPath: link)
    try #require(symlink(link, link) == 0)
    let loop = try await world.tool("cache", "export", link, "--cache", world.cache)
    #expect(loop.exitCode == 1 && loop.errors.contains("Too many levels of symbolic links"), "\(loop.errors)")
  }

  @Test(arguments: ["/dev/stdout", "/dev/fd/1"])
  func exportToThePathOfStandardOutputHasOnlyTheArchive(path: String) async throws {
    let world = try World()
    defer { world.remove() }
    try await world.fill()

    let named = try await world.tool("cache", "export", path, "--cache", world.cache)
    let standard = try await world.tool("cache", "export", "-", "--cache", world.cache)

    #expect(named.exitCode == 0 && named.outputData == standard.outputData && !named.outputData.isEmpty)
    #expect(named.errors.hasPrefix("vitrine: 4 images exported ("), "\(named.errors)")
    var status = stat()
    #expect(lstat("/dev/stdout", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
  }

  @Test(arguments: endingSignals)
  func exportThatIsNotReadEndsAtTheFirstSignal(signal: Int32) async throws {
    let world = try World()
    defer { world.remove() }
    try await world.fill()
    let pipe = world.program.path("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    let reader = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let setPipeSize: Int32 = 1031
    #expect(fcntl(reader, setPipeSize, 4096) == 4096, "less than the archive")
    let hasBegun: @Sendable () -> Bool = {
      var waits = [pollfd(fd: reader, events: Int16(POLLIN), revents: 0)]
      return poll(&waits, 1, 0) == 1
    }

    let outcome = try await world.program.run(
      arguments: ["cache", "export", pipe, "--cache", world.cache], terminatesWhen: hasBegun, signal: signal)

    #expect(outcome.exitCode == 1 && outcome.errors.contains("interrupted"), "\(outcome.errors)")
  }

  @Test func importIntoASeedThatIsNotReadableForAllFails() async throws {
    let world = try World()
    defer { world.remove() }
    try await world.fill()
    let (seed, archive) = (world.program.path("seed"), world.program.path("images.archive"))
    #expect(try await world.tool("cache", "export", archive, "--cache", world.cache).exitCode == 0)
    #expect(try await world.tool("prefetch", world.feed, "--into", seed).exitCode == 0)
    try world.storePixels(in: seed)
    // The folder is private again since pixels were stored.
    #expect(chmod(seed + "/v3", 0o755) == 0)
    let pack = open(try #require(world.packs(seed).first), O_RDWR | O_CLOEXEC)
    defer { close(pack) }
    // As a process does that adds pixels.
    #expect(flock(pack, LOCK_EX) == 0)

    let failed = try await world.tool("cache", "import", archive, "--cache", seed)
    #expect(failed.exitCode == 1 && failed.output.contains("4 already there"), "\(failed.output)")
    #expect(failed.errors.contains("not all files can be made readable"), "\(failed.errors)")

    #expect(flock(pack, LOCK_UN) == 0)
    #expect(try await world.tool("cache", "import", archive, "--cache", seed).exitCode == 0)
  }

  @Test func trimThatRemovesTooLittleFails() async throws {
    let world = try World()
    defer { world.remove() }
    try await world.fill()
    // More than the limit of a cache, without the bytes, in a folder that counts as held by another process.
    let folder = world.cache + "/v3/0"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let large = open(
      folder + "/00" + String(repeating: "1", count: 30), O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    try #require(large >= 0 && ftruncate(large, 151 << 20) == 0)
    close(large)
    let root = open(world.cache + "/v3", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(root) }
    #expect(flock(root, LOCK_EX) == 0)

    let held = try await world.tool("cache", "trim", "--cache", world.cache)
    #expect(held.exitCode == 1 && held.output.hasPrefix("0 images removed"), "\(held.output)")
    #expect(held.errors.contains("another process trims the folder"), "\(held.errors)")

    #expect(flock(root, LOCK_UN) == 0)
    #expect(try await world.tool("cache", "trim", "--cache", world.cache).exitCode == 0)
  }

  @Test func abandonedFilesOfExportsAreRemoved() async throws {
    let world = try World()
    defer { world.remove() }
    try await world.fill()
    let archive = world.program.path("images.archive")
    let abandoned = try world.program.write("", to: "images.archive.new-0123456789abcdef")
    let held = try world.program.write("", to: "images.archive.new-fedcba9876543210")
    let others = try [
      "images.archive.new-1", "images.archive.new-0123456789ABCDEF", "a.new-0123456789abcdef",
    ]
    .map { try world.program.write("", to: $0) }
    let writer = open(held, O_RDONLY | O_CLOEXEC)
    defer { close(writer) }
    try #require(flock(writer, LOCK_EX) == 0)

    let export = try await world.tool("cache", "export", archive, "--cache", world.cache)

    #expect(export.exitCode == 0 && access(archive, F_OK) == 0, "\(export.errors)")
    #expect(access(abandoned, F_OK) != 0)
    for path in others + [held] { #expect(access(path, F_OK) == 0, "\(path)") }
    let names = try FileManager.default.contentsOfDirectory(atPath: world.program.folder.path)
    #expect(names.count { $0.hasPrefix("images.archive") } == 4)
  }

  @Test func closedStandardDescriptorsAreNotTakenForOthers() async throws {
    let world = try World()
    defer { world.remove() }
    try await world.fill()

    let read = try await world.program.run(
      arguments: ["cache", "import", "-", "--cache", world.program.path("other")], closing: [STDIN_FILENO])
    #expect(read.exitCode == 1 && read.errors.hasSuffix("is not an archive of a cache\n"), "\(read.errors)")
    let verify = try await world.program.run(
      arguments: ["cache", "verify", "--cache", world.cache], closing: [STDOUT_FILENO])
    #expect(verify.exitCode == 1 && verify.errors == "vitrine: standard output cannot be written\n")
    let export = try await world.program.run(
      arguments: ["cache", "export", "-", "--cache", world.cache], closing: [STDIN_FILENO, STDOUT_FILENO])
    #expect(export.exitCode == 1 && export.errors.contains("the archive is not complete"), "\(export.errors)")
    let silent = try await world.program.run(
      arguments: ["cache", "stat", "--cache", world.cache], closing: [STDERR_FILENO])
    #expect(silent.exitCode == 0 && silent.output.contains("images      4\n") && silent.errors.isEmpty)
  }

  @Test func interruptedImportKeepsWholeImages() async throws {
    let world = try World()
    defer { world.remove() }
    try await world.fill()
    let archive = world.program.path("images.archive")
    _ = try await world.tool("cache", "export", archive, "--cache", world.cache)
    let bytes = try Data(contentsOf: URL(filePath: archive))
    let other = world.program.path("other")
    // The pipe stays open, so that the program waits for the rest.
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: bytes.prefix(bytes.count - 60))
    let files: @Sendable () -> Int = { world.storedFiles(other).count }

    let outcome = try await world.program.run(
      arguments: ["cache", "import", "-", "--cache", other], terminatesWhen: { files() >= 3 },
      input: pipe.fileHandleForReading)

    #expect(outcome.exitCode == 1 && outcome.errors.contains("interrupted"), "\(outcome.errors)")
    #expect(try await world.tool("cache", "verify", "--cache", other).exitCode == 0)
    let rest = try await world.tool("cache", "import", archive, "--cache", other)
    #expect(rest.exitCode == 0 && world.storedFiles(other).count == 4)
  }

  @Test(arguments: endingSignals)
  func interruptedPrefetchEndsWithCodeOne(signal: Int32) async throws {
    // The second image arrives so slowly that it outlasts the wait for the first, and fast enough not to be a stall.
    let world = try World(["heart-normal.png", "plate-normal.png?rate=1"])
    defer { world.remove() }
    let files: @Sendable () -> Int = { world.storedFiles().count }

    let outcome = try await world.program.run(
      arguments: ["prefetch", world.feed, "--cache", world.cache], terminatesWhen: { files() == 1 },
      signal: signal)

    #expect(outcome.exitCode == 1 && outcome.errors.hasSuffix("vitrine: interrupted\n"), "\(outcome.errors)")
    #expect(try await world.tool("cache", "verify", "--cache", world.cache).exitCode == 0)
    #expect(files() == 1)
  }

  @Test(
    "trim and clear end at the first signal",
    arguments: [["cache", "trim", "--limit", "0"], ["cache", "clear"]])
  func interruptedRemovalEndsWithCodeOne(arguments: [String]) async throws {
    let world = try World()
    defer { world.remove() }
    try await world.fill()
    // A pipe that is full, so that the tool cannot end by itself.
    let pipe = Pipe()
    let output = pipe.fileHandleForWriting.fileDescriptor
    #expect(fcntl(output, F_SETFL, O_NONBLOCK) == 0)
    let zeros = [UInt8](repeating: 0, count: 4096)
    while write(output, zeros, zeros.count) > 0 {}
    #expect(fcntl(output, F_SETFL, 0) == 0)
    let files: @Sendable () -> Int = { world.storedFiles().count }

    let outcome = try await world.program.run(
      arguments: arguments + ["--cache", world.cache], terminatesWhen: { files() == 0 },
      standardOutput: pipe.fileHandleForWriting)

    #expect(outcome.exitCode == 1 && outcome.errors.hasSuffix("vitrine: interrupted\n"), "\(outcome.errors)")
    #expect(try await world.tool("cache", "verify", "--cache", world.cache).exitCode == 0)
    withExtendedLifetime(pipe) {}
  }

  @Test(arguments: ["ls", "stat", "verify", "trim", "clear"])
  func resultThatCannotBeWrittenIsAFailure(command: String) async throws {
    let world = try World()
    defer { world.remove() }
    if !["trim", "clear"].contains(command) { try await world.fill() }
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))

    for format in [[], ["--json"]] {
      let outcome = try await world.program.run(
        arguments: ["cache", command, "--cache", world.cache] + format, standardOutput: full)

      #expect(outcome.exitCode == 1)
      #expect(outcome.errors.hasSuffix("vitrine: standard output cannot be written\n"), "\(outcome.errors)")
    }
  }

  @Test(arguments: [["cache", "--help"], ["prefetch", "--help"], ["--help"], ["--version"]])
  func helpThatCannotBeWrittenIsAFailure(arguments: [String]) async throws {
    let program = try VitrineProgram(keepsImages: true)
    defer { program.remove() }
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))

    let outcome = try await program.run(arguments: arguments, standardOutput: full)

    #expect(outcome.exitCode == 1 && outcome.errors == "vitrine: standard output cannot be written\n")
  }

  @Test func failedImagesAreNamedAndOthersStored() async throws {
    let world = try World(["heart-normal.png", "plate-normal.png?status=404&token=hidden", "star-normal.png"])
    defer { world.remove() }

    let outcome = try await world.tool("prefetch", world.feed, "--json", "--cache", world.cache)

    let report = try #require(try json(outcome.output) as? [String: Int])
    #expect(outcome.exitCode == 1 && report["loaded"] == 2 && report["failed"] == 1)
    #expect(outcome.errors.contains("plate-normal.png") && outcome.errors.contains("404"))
    #expect(outcome.errors.hasSuffix("vitrine: 1 image not stored or out of date\n"))
    #expect(!outcome.errors.contains("hidden"))
    let missing = try await world.tool("prefetch", world.program.path("nowhere"), "--cache", world.cache)
    #expect(missing.exitCode == 1 && missing.errors.contains("there is no feed at"))
    let unreachable = try await world.tool("prefetch", "http://127.0.0.1:1/a.txt", "--cache", world.cache)
    #expect(unreachable.exitCode == 1 && unreachable.errors.split(separator: "\n").count == 1)
  }

  @Test(
    "prefetch waits for the servers of stale images",
    arguments: ["?maxage=0&latency=1500", "?header=Cache-Control:max-age=0,stale-while-revalidate=600"])
  func staleImagesAreRevalidated(query: String) async throws {
    let world = try World(["heart-normal.png" + query])
    defer { world.remove() }
    try await world.fill()
    world.server.clearLog()

    let again = try await world.tool("prefetch", world.feed, "--cache", world.cache)

    #expect(again.exitCode == 0 && again.output == "1 image loaded\n", "\(again.output) \(again.errors)")
    #expect(!world.server.log.isEmpty && world.server.log.allSatisfy { $0.status == 304 })
  }

  @Test func staleImagesWhoseServerCannotBeReachedAreNamed() async throws {
    let world = try World(["heart-normal.png?maxage=0", "star-normal.png"])
    defer { world.remove() }
    try await world.fill()
    world.server.stop()

    let again = try await world.tool("prefetch", world.feed, "--json", "--cache", world.cache)

    let report = try #require(try json(again.output) as? [String: Int])
    #expect(again.exitCode == 1 && report["known"] == 1 && report["failed"] == 1, "\(again.output)")
    #expect(again.errors.contains("the stored image is out of date"))
    #expect(again.errors.hasSuffix("1 image not stored or out of date\n") && world.storedFiles().count == 2)
  }

  @Test func listThatHasChangedIsRequestedAlthoughTheStoredOneIsFresh() async throws {
    let world = try World([])
    defer { world.remove() }
    let images = ["heart-normal.png", "star-normal.png"].map {
      "\(world.server.baseURL)/gallery/buttons/\($0)\n"
    }
    let list = world.server.baseURL + "/list.txt?maxage=3600"
    world.server.add(Resource(body: Array(images[0].utf8), contentType: "text/plain"), at: "/list.txt")
    let first = try await world.tool("prefetch", list, "--cache", world.cache)
    #expect(first.exitCode == 0 && first.output == "1 image loaded\n", "\(first.errors)")

    world.server.add(
      Resource(body: Array(images.joined().utf8), contentType: "text/plain"), at: "/list.txt")
    let again = try await world.tool("prefetch", list, "--cache", world.cache)

    #expect(again.exitCode == 0 && again.output == "1 image loaded, 1 already stored\n", "\(again.output)")
  }

  @Test func storedListWhoseServerCannotBeReachedIsUsedAndNamed() async throws {
    let world = try World([])
    defer { world.remove() }
    let list = world.server.baseURL + "/list.txt?maxage=0"
    let image = world.server.baseURL + "/gallery/buttons/heart-normal.png"
    world.server.add(Resource(body: Array(image.utf8), contentType: "text/plain"), at: "/list.txt")
    let first = try await world.tool("prefetch", list, "--cache", world.cache)
    #expect(first.exitCode == 0 && first.output == "1 image loaded\n", "\(first.errors)")
    world.server.stop()

    let again = try await world.tool("prefetch", list, "--cache", world.cache)

    #expect(again.exitCode == 1 && again.output == "0 images loaded, 1 already stored\n", "\(again.output)")
    #expect(again.errors.hasSuffix("; the stored list was used\n"), "\(again.errors)")
  }

  @Test func localImagesMakeNoSeed() async throws {
    let world = try World([])
    defer { world.remove() }
    let seed = world.program.path("seed")

    let outcome = try await world.tool("prefetch", VitrineProgram.assets + "/gallery", "--into", seed)

    #expect(outcome.exitCode == 1 && outcome.output.contains("local, not stored"), "\(outcome.output)")
    #expect(outcome.errors.hasSuffix("vitrine: no image is stored in \(seed)\n"), "\(outcome.errors)")
  }

  @Test func seedWithoutImagesIsNotAdvertised() async throws {
    let world = try World([])
    defer { world.remove() }
    let list = world.server.baseURL + "/list.txt"
    let image = world.server.baseURL + "/gallery/buttons/heart-normal.png?status=404"
    world.server.add(Resource(body: Array(image.utf8), contentType: "text/plain"), at: "/list.txt")

    let outcome = try await world.tool("prefetch", list, "--into", world.program.path("seed"))

    #expect(outcome.exitCode == 1 && outcome.output == "0 images loaded, 1 failed\n", "\(outcome.output)")
    #expect(outcome.errors.hasSuffix("1 image not stored or out of date\n"), "\(outcome.errors)")
  }

  @Test func foldersAboveASeedCanBeEnteredByAll() async throws {
    let world = try World()
    defer { world.remove() }
    let seed = world.program.path("srv/kiosk/seed")

    let prefetch = try await world.tool("prefetch", world.feed, "--into", seed)

    #expect(prefetch.exitCode == 0, "\(prefetch.errors)")
    var status = stat()
    for path in ["srv", "srv/kiosk", "srv/kiosk/seed", "srv/kiosk/seed/v3"] {
      #expect(stat(world.program.path(path), &status) == 0 && status.st_mode & 0o777 == 0o755, "\(path)")
    }
    #expect(world.storedFiles(seed).count == 4)
  }

  @Test func seedShowsImagesWithoutAServer() async throws {
    let world = try World()
    defer { world.remove() }
    let seed = world.program.path("seed")
    let prefetch = try await world.tool(
      "prefetch", world.feed, "--into", seed, "--size", "64x64", "--size", "16x16")
    #expect(
      prefetch.exitCode == 0 && prefetch.output.contains("vitrine --seed \(seed)"), "\(prefetch.errors)")
    var status = stat()
    #expect(stat("\(seed)/v3", &status) == 0 && status.st_mode & 0o777 == 0o755)
    #expect(try await world.tool("cache", "ls", "--cache", seed).output.split(separator: "\n").count == 4)
    #expect(stat("\(seed)/v3", &status) == 0 && status.st_mode & 0o777 == 0o755, "a listing changes nothing")
    world.server.stop()

    let top = world.program.path("top")
    for arguments in [["--cache", top], ["--no-disk-cache"]] {
      let run = try await world.program.run(
        arguments: ["--video", "offscreen", "--exit-when-idle", "--feed", world.feed, "--seed", seed]
          + arguments)
      #expect(
        run.exitCode == 0 && run.stats?.images.disk == 4 && run.stats?.images.failed == 0, "\(run.errors)")
      #expect(run.stats?.network.requests == 0)
    }
    #expect(world.storedFiles(top).isEmpty)
  }

  @Test func pixelsOfASeedCanBeReadByAll() async throws {
    let world = try World()
    defer { world.remove() }
    let seed = world.program.path("seed")
    _ = try await world.tool("prefetch", world.feed, "--into", seed)
    let count = try world.storePixels(in: seed)

    // The folder is private again since pixels were stored.
    let prefetch = try await world.tool("prefetch", world.feed, "--into", seed)

    #expect(prefetch.exitCode == 0, "\(prefetch.errors)")
    var status = stat()
    for path in ["\(seed)/v3", "\(seed)/p1", "\(seed)/p1/packs"] {
      #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o755, "\(path)")
    }
    for path in world.packs(seed) + ["\(seed)/p1/packs/index"] {
      #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o644, "\(path)")
    }
    let figures = try await world.tool("cache", "stat", "--json", "--cache", seed)
    #expect(try #require(try json(figures.output) as? [String: Any])["pixels"] as? Int == count)
    #expect(try await world.tool("cache", "verify", "--cache", seed).exitCode == 0)
    #expect(stat("\(seed)/p1", &status) == 0 && status.st_mode & 0o777 == 0o755, "the tools change nothing")
  }

  @Test func pixelsThatCannotBeStoredAreReported() async throws {
    let world = try World([])
    defer { world.remove() }
    let names = try FileManager.default.contentsOfDirectory(atPath: VitrineProgram.assets + "/gallery")
    let lines = names.filter { $0.hasSuffix(".jpg") }.sorted().prefix(3)
      .map { [base = world.server.baseURL] in "\(base)/gallery/gallery/\($0)" }
    try world.program.write(lines.joined(separator: "\n"), to: "feed.txt")
    let seed = world.program.path("seed")
    try FileManager.default.createDirectory(atPath: seed, withIntermediateDirectories: false)
    // A file has taken the place of the folder of the pixels.
    try Data().write(to: URL(filePath: seed + "/p1"))

    let outcome = try await world.tool("prefetch", world.feed, "--into", seed, "--size", "64x64", "--json")

    let report = try #require(try json(outcome.output) as? [String: Int])
    #expect(
      report["loaded"] == 3 && report["failed"] == 0 && report["pixels_missing"] == 3, "\(outcome.output)")
    #expect(outcome.exitCode == 1, "\(outcome.errors)")
  }

  @Test func listOfAnArchiveIsShownOffline() async throws {
    let world = try World([])
    defer { world.remove() }
    let list = world.server.baseURL + "/list.txt"
    let image = world.server.baseURL + "/gallery/buttons/heart-normal.png"
    world.server.add(Resource(body: Array(image.utf8), contentType: "text/plain"), at: "/list.txt")
    let (archive, other) = (world.program.path("images.archive"), world.program.path("other"))
    #expect(try await world.tool("prefetch", list, "--cache", world.cache).exitCode == 0)
    #expect(try await world.tool("cache", "export", archive, "--cache", world.cache).exitCode == 0)

    let imported = try await world.tool("cache", "import", archive, "--cache", other)
    let run = try await world.program.run(
      arguments: [
        "--video", "offscreen", "--exit-when-idle", "--offline", "--feed", list, "--cache", other,
      ])

    #expect(imported.output.hasPrefix("2 images imported") && !imported.output.contains("private"))
    #expect(run.exitCode == 0 && run.stats?.images.disk == 1, "\(run.errors)")
    #expect(run.stats?.images.failed == 0)
  }

  @Test func seedStaysReadableForOthersWhileItIsFilledAndListed() async throws {
    let world = try World()
    defer { world.remove() }
    let (seed, archive) = (world.program.path("seed"), world.program.path("images.archive"))
    _ = try await world.tool("prefetch", world.feed, "--into", seed, "--size", "64x64")
    #expect(try await world.tool("cache", "export", archive, "--cache", seed).exitCode == 0)
    let folders = ["\(seed)/v3", "\(seed)/p1", "\(seed)/p1/packs"]
    func mode(_ path: String) -> mode_t {
      var status = stat()
      return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    // The directory of a cache in use may be writable by a group.
    #expect(chmod(seed, 0o775) == 0)
    for command in ["ls", "stat", "verify"] {
      #expect(try await world.tool("cache", command, "--cache", seed).exitCode == 0)
      #expect(mode(seed) == 0o775 && Set(folders.map(mode)) == [0o755], "\(command)")
    }
    let again = world.program.path("again.archive")
    #expect(try await world.tool("cache", "export", again, "--cache", seed).exitCode == 0)
    #expect(Set(folders.map(mode)) == [0o755])
    #expect(chmod(seed, 0o755) == 0)

    #expect(try await world.tool("cache", "trim", "--cache", seed).exitCode == 0)
    #expect(Set(folders.map(mode)) == [0o755])
    for file in world.storedFiles(seed).prefix(2) { try FileManager.default.removeItem(atPath: file) }
    let imported = try await world.tool("cache", "import", archive, "--cache", seed)
    #expect(imported.exitCode == 0 && imported.output.hasPrefix("2 images imported"), "\(imported.errors)")
    #expect(Set(folders.map(mode)) == [0o755] && Set(world.storedFiles(seed).map(mode)) == [0o644])
  }

  @Test func importAndTrimRemoveNothingFromALargeSeed() async throws {
    let world = try World()
    defer { world.remove() }
    try await world.fill()
    let (seed, archive) = (world.program.path("seed"), world.program.path("images.archive"))
    #expect(try await world.tool("cache", "export", archive, "--cache", world.cache).exitCode == 0)
    // More than the limit of a cache, without the bytes.
    let folder = seed + "/v3/0"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let large = folder + "/00" + String(repeating: "1", count: 30)
    let file = open(large, O_CREAT | O_WRONLY | O_CLOEXEC, 0o644)
    try #require(file >= 0)
    try #require(ftruncate(file, 151 << 20) == 0)
    close(file)
    for path in [seed, seed + "/v3", folder] { #expect(chmod(path, 0o755) == 0) }

    let imported = try await world.tool("cache", "import", archive, "--cache", seed)
    let trimmed = try await world.tool("cache", "trim", "--cache", seed)

    #expect(imported.exitCode == 0 && imported.output.hasPrefix("4 images imported ("), "\(imported.errors)")
    #expect(trimmed.exitCode == 0 && trimmed.output.hasPrefix("0 images removed"), "\(trimmed.errors)")
    #expect(world.storedFiles(seed).count == 5)
    // A folder that is no seed has the limit of a cache, and is full.
    #expect(chmod(seed + "/v3", 0o700) == 0)
    for path in world.storedFiles(seed) where path != large {
      try FileManager.default.removeItem(atPath: path)
    }
    let full = try await world.tool("cache", "import", archive, "--json", "--cache", seed)
    let report = try #require(try json(full.output) as? [String: Any])
    #expect(full.exitCode == 1 && report["no_room"] as? Int == 4 && report["imported"] as? Int == 0)
    #expect(
      full.errors == "vitrine: 4 images left out: the limit of the cache is 157.3 MB\n", "\(full.errors)")
    #expect(world.storedFiles(seed) == [large])
  }

  @Test("pixels in a seed are found, so that they are not stored again", arguments: [true, false])
  func pixelsOfASeedAreFound(hasSeedPixels: Bool) async throws {
    let program = try VitrineProgram(keepsImages: true)
    defer { program.remove() }
    let (seed, top) = (program.path("seed"), program.path("top"))
    let server = try GalleryServer(images: VitrineProgram.assets)
    let names = try FileManager.default.contentsOfDirectory(atPath: VitrineProgram.assets + "/gallery")
    let lines = names.filter { $0.hasSuffix(".jpg") }.sorted().prefix(4)
      .map { [base = server.baseURL] in "\(base)/gallery/gallery/\($0)" }
    let feed = try program.write(lines.joined(separator: "\n"), to: "feed.txt")
    let arguments = ["--video", "offscreen", "--size", "800x400", "--exit-when-idle", "--feed", feed]
    // The program ends a second after the last image at the latest, which may be too short on a busy machine.
    var (stored, shown) = (0, 1)
    for _ in 0..<5 where stored < shown {
      let outcome = try await program.run(arguments: arguments + ["--cache", seed])
      #expect(outcome.exitCode == 0, "\(outcome.errors)")
      shown = try #require(outcome.stats).images.shown
      let figures = try await program.run(arguments: ["cache", "stat", "--json", "--cache", seed])
      stored = try #require((try json(figures.output) as? [String: Any])?["pixels"] as? Int)
    }
    try #require(shown > 1 && stored >= shown, "\(shown) shown, \(stored) stored")
    server.stop()
    if !hasSeedPixels { try FileManager.default.removeItem(atPath: seed + "/p1") }

    let second = try await program.run(arguments: arguments + ["--cache", top, "--seed", seed])

    #expect(second.exitCode == 0 && second.stats?.images.disk == second.stats?.images.shown)
    #expect(FileManager.default.fileExists(atPath: top + "/p1/packs/index") == !hasSeedPixels)
    let alone = try await program.run(arguments: arguments + ["--no-disk-cache", "--seed", seed])
    #expect(alone.exitCode == 0 && alone.stats?.images.shown == second.stats?.images.shown)
    #expect(FileManager.default.fileExists(atPath: seed + "/p1") == hasSeedPixels, "nothing is stored")
  }

  @Test func seedThatCannotBeUsedIsReported() async throws {
    let world = try World()
    defer { world.remove() }
    let seed = world.program.path("seed")
    _ = try await world.tool("prefetch", world.feed, "--into", seed)
    #expect(chmod(seed, 0o777) == 0)

    let run = try await world.program.run(
      arguments: ["--video", "offscreen", "--exit-when-idle", "--feed", world.feed, "--seed", seed])

    #expect(run.exitCode == 0 && run.stats?.images.network == 4)
    #expect(run.errors.contains("the seed is not used: \(seed) can be written by other users"))
    let mistyped = try await world.program.run(
      arguments: ["--video", "offscreen", "--exit-when-idle", "--feed", world.feed, "--seed", seed + "s"])
    #expect(mistyped.exitCode == 0 && mistyped.errors.contains("there is no seed in \(seed)s\n"))
    let list = try await world.tool("cache", "ls", "--cache", seed)
    #expect(list.exitCode == 0 && list.output.split(separator: "\n").count == 4, "a listing trusts nothing")
  }

  @Test func folderWithoutACacheIsNotTakenForAnEmptyCache() async throws {
    let world = try World()
    defer { world.remove() }
    let archive = try world.program.write("an older archive", to: "images.archive")
    let nowhere = world.program.path("nowhere")

    for arguments in [["ls"], ["stat"], ["verify"], ["export", archive]] {
      let outcome = try await world.program.run(arguments: ["cache"] + arguments + ["--cache", nowhere])
      #expect(outcome.exitCode == 1 && outcome.output.isEmpty)
      #expect(outcome.errors == "vitrine: there is no cache in \(nowhere)\n", "\(outcome.errors)")
    }

    #expect(try String(contentsOfFile: archive, encoding: .utf8) == "an older archive")
    // The user's own folder, which does not exist yet.
    let own = try await world.tool("cache", "stat")
    #expect(own.exitCode == 0 && own.output.contains("images      0\n"), "\(own.errors)")
    #expect(!FileManager.default.fileExists(atPath: nowhere))
  }

  @Test func wrongUsageExitsWithCodeTwo() async throws {
    let world = try World()
    defer { world.remove() }
    for (arguments, message) in [
      (["cache"], "cache needs a command"), (["cache", "lst"], "did you mean ls?"),
      (["cache", "ls", "--jsno"], "did you mean --json?"), (["prefetch"], "prefetch needs"),
    ] {
      let outcome = try await world.program.run(arguments: arguments)
      #expect(outcome.exitCode == 2 && outcome.errors.contains(message))
      #expect(outcome.errors.split(separator: "\n").count == 1 && outcome.output.isEmpty)
    }
    let help = try await world.tool("cache", "--help")
    #expect(help.exitCode == 0 && help.output.contains("cache verify") && help.output.contains("--into DIR"))
    #expect(help.output.contains("damaged files and pixels") && help.output.contains("software"))
    #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 110 })
    let folder = try await world.tool("cache", "stat", "--cache", world.feed)
    #expect(folder.exitCode == 1 && folder.errors.contains("feed.txt"))
  }

  @Test func toolsWorkWhileTheDemoUsesTheFolder() async throws {
    let world = try World()
    defer { world.remove() }
    try await world.fill()

    // Each program writes its output to files of its own.
    let other = try VitrineProgram(keepsImages: true)
    defer { other.remove() }
    async let demo = other.run(
      arguments: [
        "--video", "offscreen", "--feed", world.feed, "--cache", world.cache,
      ], script: "wait idle\nkey F5\nwait 500 ms\nkey F5\nwait idle\n")
    for command in ["ls", "stat", "verify", "trim"] {
      let outcome = try await world.tool("cache", command, "--cache", world.cache)
      #expect(outcome.exitCode == 0, "\(command): \(outcome.errors)")
    }
    _ = try await world.tool("cache", "clear", "--cache", world.cache)

    let outcome = try await demo
    #expect(outcome.exitCode == 0 && outcome.stats?.images.failed == 0, "\(outcome.errors)")
  }
}
