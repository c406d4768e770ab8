import Glibc
import Testing

@testable import VitrineDiskCache

/// The pause of writing after a failure.
@Suite struct WritePauseTests {
  private static let end = Int64(WritePause.seconds) * 1_000_000_000
  private static let readOnly = DiskImageCache.Fault.refused(path: "/a", code: EROFS)
  private static let full = DiskImageCache.Fault.diskIsFull(path: "/a")

  @Test func failedWritePausesWritingForAMinute() {
    var pause = WritePause()
    #expect(!pause.isPaused(at: 0))

    _ = pause.writeFailed(Self.readOnly, at: 0)

    #expect(pause.isPaused(at: Self.end - 1) && !pause.isPaused(at: Self.end))
    #expect(!pause.isFull(at: 0))
  }

  @Test func fullDiskPausesOnlyWritesThatNeedSpace() {
    var pause = WritePause()
    pause.lackedSpace(for: 100, at: 0)
    _ = pause.writeFailed(Self.full, at: 0)

    #expect(!pause.isPaused(at: 0))
    #expect(pause.isFull(at: Self.end - 1) && !pause.isFull(at: Self.end))

    pause.foundSpace()
    #expect(!pause.isFull(at: 0))
  }

  @Test func fullDiskPausesWritesThatNeedAtLeastAsMuchSpace() {
    var pause = WritePause()
    pause.lackedSpace(for: 100, at: 0)
    #expect(pause.isFull(for: 100, at: 1) && !pause.isFull(for: 99, at: 1))

    pause.lackedSpace(for: 50, at: 1)
    #expect(pause.isFull(for: 50, at: Self.end) && !pause.isFull(for: 49, at: Self.end))

    pause.lackedSpace(for: 80, at: Self.end)
    #expect(pause.isFull(for: 50, at: Self.end), "a larger response has no room either")
    pause.lackedSpace(for: 80, at: 3 * Self.end)
    #expect(!pause.isFull(for: 50, at: 3 * Self.end))
  }

  @Test func failedReadDoesNotPauseWriting() {
    var pause = WritePause()
    _ = pause.readFailed(Self.readOnly)

    #expect(pause.fault == Self.readOnly)
    #expect(!pause.isPaused(at: 0) && !pause.isFull(at: 0))
  }

  @Test(arguments: [EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR]) func transientFaultIsIgnored(code: Int32) {
    var pause = WritePause()

    let fault = DiskImageCache.Fault.refused(path: "/a", code: code)
    let areNew = [pause.writeFailed(fault, at: 0), pause.readFailed(fault)]

    #expect(areNew == [false, false])
    #expect(pause.fault == nil && !pause.isPaused(at: 0))
  }

  @Test func faultIsNewAtFirstAndAfterADifferentFault() {
    var pause = WritePause()

    let areNew = [
      pause.writeFailed(Self.readOnly, at: 0), pause.writeFailed(Self.readOnly, at: Self.end),
      pause.readFailed(Self.readOnly), pause.writeFailed(Self.full, at: 0), pause.readFailed(Self.readOnly),
    ]

    #expect(areNew == [true, false, false, true, true])
    #expect(pause.isPaused(at: 2 * Self.end - 1), "each failure pauses writing")
  }

  @Test func storedResponseEndsThePauseAndTheFault() {
    var pause = WritePause()
    _ = pause.writeFailed(Self.readOnly, at: 0)

    pause.stored()

    #expect(pause.fault == nil && !pause.isPaused(at: 0))
    let isNew = pause.writeFailed(Self.readOnly, at: 0)
    #expect(isNew)
  }
}
