import Glibc
import Testing
import VitrineConcurrency

/// The pipe that wakes a polling thread.
@Suite struct WakeupPipeTests {
  private func isReadable(_ descriptor: Int32) -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) == 1
  }

  @Test func pipeIsReadableFromRingToSilence() throws {
    let pipe = try #require(WakeupPipe())
    #expect(!isReadable(pipe.descriptor))

    pipe.ring()
    #expect(isReadable(pipe.descriptor))

    #expect(pipe.silence())
    #expect(!isReadable(pipe.descriptor))
    #expect(!pipe.silence())
  }

  @Test func pipeThatIsRungVeryOftenDoesNotBlockAndIsSilencedAtOnce() throws {
    let pipe = try #require(WakeupPipe())

    for _ in 0..<100_000 { pipe.ring() }

    #expect(pipe.silence())
    #expect(!isReadable(pipe.descriptor))
  }

  @Test func bellRingsThePipe() throws {
    let pipe = try #require(WakeupPipe())

    WakeupPipe.ring(pipe.bell)

    #expect(isReadable(pipe.descriptor))
  }
}
