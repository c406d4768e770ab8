import FoundationEssentials
import Glibc
import Testing
import VitrineConcurrency
import VitrineTesting

@testable import VitrineLoading

/// Errors of the system when a file is opened.
@Suite(.timeLimit(.minutes(5))) struct LocalTransportErrorTests {
  private let files: LocalFiles

  init() throws { files = try LocalFiles() }

  /// Returns a transport for which `open` fails with each of the codes once, before it works.
  private func failingToOpen(_ codes: [Int32]) -> LocalTransport {
    let remaining = Shared(codes)
    return LocalTransport(clock: ManualLoadingClock()) {
      Glibc.read($0, $1.baseAddress, $1.count)
    } open: { path in
      guard let code = remaining.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
        return Glibc.open(path, O_RDONLY | O_CLOEXEC)
      }
      errno = code
      return -1
    }
  }

  @Test(arguments: [EMFILE, ENFILE, ENOMEM, EAGAIN, EIO])
  func transientOpenFailureIsRetryable(code: Int32) async throws {
    let url = try files.write([1], to: "a.jpg")
    let transport = failingToOpen([code])

    let error = try #require(try await transport.outcome(of: url).error)

    #expect(error.isRetryable)
    #expect("\(error)" == "cannot read \(url.path()): \(String(cString: strerror(code)))")
    #expect(try await transport.outcome(of: url).body == [1])
  }

  @Test(arguments: [ENOENT, EACCES, ELOOP])
  func permanentOpenFailureIsNotRetryable(code: Int32) async throws {
    let url = try files.write([1], to: "a.jpg")

    let error = try #require(try await failingToOpen([code]).outcome(of: url).error)

    #expect(error == .unreadableFile(path: url.path(), message: String(cString: strerror(code))))
    #expect(!error.isRetryable)
  }

  @Test func interruptedOpenIsRepeated() async throws {
    let url = try files.write([1], to: "a.jpg")

    #expect(try await failingToOpen([EINTR, EINTR]).outcome(of: url).body == [1])
  }
}
