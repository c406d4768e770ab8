import Glibc
import OpenDescriptors
import Testing

@testable import VitrineLoading

/// Bytes that wait in the receive queue of a socket.
struct SocketBufferTests {
  private let bytes = [UInt8].pattern(100_000)

  @Test func bytesAreIndependentOfTheOriginalAndCanBeReadAgain() throws {
    var original = bytes
    let buffer = try #require(SocketBuffer(copying: original, descriptorLimit: .max))
    original[0] = ~original[0]
    #expect(buffer.bytes == bytes)
    #expect(buffer.bytes == bytes)
  }

  @Test(
    "bytes need not fit into a send buffer of the default size",
    .enabled("the system allows a larger one", { largestSendBuffer() >= 400_000 }))
  func bytesThatNeedALargerSendBuffer() throws {
    let bytes = [UInt8].pattern(400_000)
    #expect(SocketBuffer(copying: bytes, descriptorLimit: .max)?.bytes == bytes)
  }

  @Test func bytesThatOtherCodeHasTakenAreLost() throws {
    let buffer = try #require(SocketBuffer(copying: bytes, descriptorLimit: .max))
    try #require(buffer.takeByte())
    #expect(buffer.bytes == nil)
    let rest = try #require(SocketBuffer(copying: [1], descriptorLimit: .max))
    try #require(rest.takeByte())
    #expect(rest.bytes == nil, "the queue is empty")
  }

  @Test func noBytesNeedNoBuffer() { #expect(SocketBuffer(copying: [], descriptorLimit: .max) == nil) }

  @Test(.enabled("the system has no unusually large limit", { largestSendBuffer() <= 64 << 20 }))
  func moreBytesThanASocketHoldsAreRefused() {
    let bytes = [UInt8](repeating: 1, count: largestSendBuffer() + 1)
    #expect(SocketBuffer(copying: bytes, descriptorLimit: .max) == nil)
  }

  // An exit test runs in its own process, in which no other test opens sockets and files.

  @Test func eachBufferHasOneDescriptorUntilItIsReleased() async {
    await #expect(processExitsWith: .success) {
      let count = openDescriptors()
      do {
        let buffer = SocketBuffer(copying: .pattern(100_000), descriptorLimit: .max)
        withExtendedLifetime(buffer) { precondition(openDescriptors() == count + 1) }
        precondition(fcntl(buffer?.descriptor ?? -1, F_GETFD) & FD_CLOEXEC != 0)
        precondition(buffer?.bytes == .pattern(100_000))
      }
      precondition(openDescriptors() == count)
      precondition(SocketBuffer(copying: .pattern(1), descriptorLimit: 0) == nil)
      precondition(openDescriptors() == count)
    }
  }

  @Test func bytesOfADescriptorThatOtherCodeHasClosedAreLost() async {
    await #expect(processExitsWith: .success) {
      let buffer = SocketBuffer(copying: .pattern(100), descriptorLimit: .max)
      close(buffer?.descriptor ?? -1)
      precondition(buffer != nil && buffer?.bytes == nil)
    }
  }

  @Test func halfOfTheDescriptorsAreLeftToTheRestOfTheProgram() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit()
      let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      precondition(getrlimit(files, &limit) == 0)
      limit.rlim_cur = min(limit.rlim_max, 4000)
      precondition(setrlimit(files, &limit) == 0)
      precondition(SocketBuffer.descriptorLimit == min(Int32(limit.rlim_cur / 2), 512))

      // Descriptors that the process has inherited stay open.
      let free = dup(0)
      let half = free + 20
      guard half <= 512, rlim_t(2 * half) <= limit.rlim_max else { return }
      limit.rlim_cur = rlim_t(2 * half)
      precondition(setrlimit(files, &limit) == 0)
      let buffers = (0..<(2 * half)).compactMap { _ in SocketBuffer(copying: .pattern(1)) }
      withExtendedLifetime(buffers) {
        precondition(!buffers.isEmpty && buffers.allSatisfy { $0.descriptor < half })
        precondition(dup(0) >= half)
      }
    }
  }
}

/// Returns the size in bytes of the largest send buffer that the system allows.
private func largestSendBuffer() -> Int {
  let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(socket) }
  return SocketBuffer.requestSendBuffer(.max, of: socket)
}

extension SocketBuffer {
  /// Takes the first byte from the queue, as code with a wrong file descriptor would. Returns false if there is none.
  func takeByte() -> Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == 1
  }
}

extension [UInt8] {
  /// Returns `count` bytes that differ from their neighbours.
  static func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) } }
}
