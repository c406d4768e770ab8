import Foundation
import Glibc
import Synchronization
import Testing

@testable import VitrineDiskCache

@Suite("A file that is being written", .timeLimit(.minutes(5)))
struct TemporaryFileTests {
  private let fixture = DiskFixture()
  private let system = FaultySystem()

  private var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: fixture.folder)) ?? []
  }

  /// Writes the file `file`, and calls `body` before it gets its name.
  private func write(_ body: (_ name: String, borrowing Descriptor) -> Void) throws {
    let folder = try Descriptor(fixture.folder, flags: O_RDONLY | O_DIRECTORY, system: system)
    try TemporaryFile.write(in: folder) { (file) throws(SystemError) in
      try file.write([1, 2, 3])
    } publish: { (temporary) throws(SystemError) in
      body(temporary, folder)
      try folder.rename(temporary, to: "file")
    }
  }

  @Test func fileIsNotAbandonedUntilItHasItsName() throws {
    var isAbandoned: Bool?

    try write { name, folder in isAbandoned = TemporaryFile.isAbandoned(name, in: folder) }

    #expect(isAbandoned == false)
    #expect(names == ["file"] && system.openCount == 0)
    let folder = try Descriptor(fixture.folder, flags: O_RDONLY | O_DIRECTORY, system: system)
    let isReleased = TemporaryFile.isAbandoned("file", in: folder)
    #expect(isReleased)
  }

  @Test func fileThatTakesThePlaceOfAFolderBeforeItsRemovalStays() throws {
    let file = "\(fixture.folder)/file"
    try Data([1, 2, 3]).write(to: URL(filePath: file))
    let isFirst = Atomic(true)
    system.changeStatus { status in
      if isFirst.exchange(false, ordering: .relaxed) { status.st_mode = S_IFDIR | 0o700 }
    }
    let folder = try Descriptor(fixture.folder, flags: O_RDONLY | O_DIRECTORY, system: system)

    let isRemoved = try RemovedFolder.remove("file", in: folder)

    #expect(!isRemoved && names == ["file"])
    #expect(try Data(contentsOf: URL(filePath: file)) == Data([1, 2, 3]))
  }

  @Test func fileIsWrittenWithoutADuplicateOfItsDescriptor() throws {
    system.fail(.duplicate, number: FaultySystem.always, with: .error(EMFILE))

    try write { _, _ in }

    #expect(system.hasFailed && names == ["file"] && system.openCount == 0)
  }

  @Test func failureOnCloseKeepsTheFileFromGettingItsName() {
    system.fail(.close, with: .error(EIO))

    #expect(throws: SystemError(EIO)) { try write { _, _ in Issue.record("the file gets its name") } }

    #expect(names.isEmpty && system.openCount == 0)
  }

  @Test func interruptedCloseIsNoFailure() throws {
    system.fail(.close, with: .error(EINTR))

    try write { _, _ in }

    #expect(system.hasFailed && names == ["file"] && system.openCount == 0)
  }
}
