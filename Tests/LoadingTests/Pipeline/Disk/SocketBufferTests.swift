import Glibc
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

  @Test func bytesThatHaveBeenTakenFromTheQueueCannotBeRead() throws {
    let buffer = try #require(SocketBuffer(copying: bytes, descriptorLimit: .max))
    try #require(buffer.takeByte())
    #expect(buffer.bytes == nil)
    let rest = try #require(SocketBuffer(copying: [1], descriptorLimit: .max))
    try #require(rest.takeByte())
    #expect(rest.bytes == nil, "nothing is waited for")
  }

  @Test func noBytesNeedNoBuffer() { #expect(SocketBuffer(copying: [], descriptorLimit: .max) == nil) }

  @Test func moreBytesThanASocketHoldsAreRefused() throws {
    let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    let limit = SocketBuffer.requestSendBuffer(.max, of: socket)
    // Unless the system has been configured otherwise, the limit is 8 MiB at most.
    try #require((1...(256 << 20)).contains(limit))
    #expect(SocketBuffer(copying: [UInt8](repeating: 1, count: limit + 1), descriptorLimit: .max) == nil)
  }

  // An exit test runs in its own process, in which no other test opens file descriptors.

  @Test func eachBufferHasOneDescriptorUntilItIsReleased() async {
    await #expect(processExitsWith: .success) {
      let first = lowestFreeDescriptor()
      do {
        let buffer = SocketBuffer(copying: .pattern(100_000))
        precondition(buffer?.descriptor == first && lowestFreeDescriptor() == first + 1)
        precondition(fcntl(first, F_GETFD) & FD_CLOEXEC != 0)
        precondition(buffer?.bytes == .pattern(100_000))
      }
      precondition(lowestFreeDescriptor() == first)
      precondition(SocketBuffer(copying: .pattern(1), descriptorLimit: first) == nil)
      precondition(lowestFreeDescriptor() == first)
      precondition(SocketBuffer(copying: .pattern(1), descriptorLimit: first + 1) != nil)
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

      limit.rlim_cur = 100
      precondition(setrlimit(files, &limit) == 0)
      let buffers = (0..<100).compactMap { _ in SocketBuffer(copying: .pattern(1)) }
      precondition(!buffers.isEmpty && buffers.allSatisfy { $0.descriptor < 50 })
      precondition(lowestFreeDescriptor() == 50)
    }
  }
}

extension SocketBuffer {
  /// Takes the first byte from the queue, as code with a wrong file descriptor would. Returns false if there is none.
  func takeByte() -> Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == 1
  }
}

/// Returns the file descriptor that the next file would have.
private func lowestFreeDescriptor() -> Int32 {
  let descriptor = open("/dev/null", O_RDONLY)
  close(descriptor)
  return descriptor
}

extension [UInt8] {
  /// Returns `count` bytes that differ from their neighbours.
  static func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) } }
}
