import FoundationEssentials
import Glibc
import Synchronization

/// Reads file and data URLs, on a thread of its own, so that a slow disk stalls no network transfer.
///
/// Only regular files are read: a directory, a FIFO or a device is refused with `.unreadableFile`. A redirect
/// never leads here: that is the rule of the transport that follows redirects.
public final class LocalTransport: DataTransport {
  static let localSchemes: Set<String> = ["file", "data"]

  /// `file` and `data`.
  public var schemes: Set<String> { Self.localSchemes }

  private let worker = WorkerPool(threads: 1)
  private let lastNumber = Atomic<UInt64>(0)

  /// A transport whose thread starts with its first read.
  public init() {}

  /// Reads on the transport's thread, one URL after the other in the order of the calls.
  public func start(_ request: TransportRequest, receiver: any TransportReceiver) -> any Cancellable {
    let transfer = LocalTransfer()
    let number = lastNumber.add(1, ordering: .relaxed).newValue
    worker.submit(number, priority: .normal) {
      let started = ContinuousClock.now
      let result = Result { () throws(ImageError) in
        try LocalReader(request: request, receiver: receiver, transfer: transfer).read()
      }
      receiver.transportDidFinish(
        result.map {
          TransportMetrics(bytesReceived: $0, total: (ContinuousClock.now - started) / .seconds(1))
        })
    }
    return transfer
  }
}

private final class LocalTransfer: Cancellable {
  private let flag = Atomic(false)

  var isCancelled: Bool { flag.load(ordering: .relaxed) }
  func cancel() { flag.store(true, ordering: .relaxed) }
}

/// One read, on the transport's thread.
private struct LocalReader {
  private static let chunkLength = 256 << 10

  let request: TransportRequest
  let receiver: any TransportReceiver
  let transfer: LocalTransfer

  /// Bytes read.
  func read() throws(ImageError) -> Int {
    try check()
    return request.url.scheme?.lowercased() == "data" ? try readDataURL() : try readFile()
  }

  private func check() throws(ImageError) {
    if transfer.isCancelled { throw .cancelled }
  }

  // MARK: data:

  private func readDataURL() throws(ImageError) -> Int {
    let content = try DataURL(request.url.absoluteString)
    guard content.body.count <= request.bodyLimit else { throw .tooLarge(.body(bytes: request.bodyLimit)) }
    receiver.transportDidReceive(
      TransportResponse(
        url: request.url, status: nil, headers: ["Content-Type": content.mediaType],
        expectedLength: content.body.count))
    content.body.withUnsafeBytes { receiver.transportDidReceive($0) }
    return content.body.count
  }

  // MARK: file:

  private func readFile() throws(ImageError) -> Int {
    let path = request.url.path(percentEncoded: false)
    let host = request.url.host()?.lowercased() ?? ""
    guard host.isEmpty || host == "localhost" else {
      throw .unreadableFile(path: path, message: "a file on another machine, \(host)")
    }
    guard !path.utf8.contains(0) else {
      throw .unreadableFile(path: path, message: "a zero byte in its name")
    }
    let file = try open(path)
    defer { close(file.descriptor) }
    receiver.transportDidReceive(
      TransportResponse(url: request.url, status: nil, expectedLength: file.length))
    return try readAll(file.descriptor, path)
  }

  private func open(_ path: String) throws(ImageError) -> (descriptor: Int32, length: Int) {
    // Asked before it is opened, because opening a device may do something; and again afterwards, because it
    // may have been exchanged. Without waiting, because a FIFO would.
    var before = stat()
    guard stat(path, &before) == 0 else { throw Self.failure(path) }
    try Self.checkRegular(before, path)
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw Self.failure(path) }
    do throws(ImageError) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw Self.failure(path) }
      try Self.checkRegular(status, path)
      guard status.st_size <= request.bodyLimit else { throw .tooLarge(.body(bytes: request.bodyLimit)) }
      return (descriptor, Int(status.st_size))
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Reads to the end, wherever that is: files grow, and those in /proc have no length.
  private func readAll(_ descriptor: Int32, _ path: String) throws(ImageError) -> Int {
    var buffer = [UInt8](repeating: 0, count: Self.chunkLength)
    var total = 0
    while true {
      try check()
      let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw Self.failure(path) }
      guard count > 0 else { return total }
      total += count
      guard total <= request.bodyLimit else { throw .tooLarge(.body(bytes: request.bodyLimit)) }
      buffer.withUnsafeBytes { receiver.transportDidReceive(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
  }

  private static func checkRegular(_ status: stat, _ path: String) throws(ImageError) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: return
    case S_IFDIR: throw .unreadableFile(path: path, message: "a directory")
    default: throw .unreadableFile(path: path, message: "not a regular file")
    }
  }

  private static func failure(_ path: String) -> ImageError {
    var text = [CChar](repeating: 0, count: 256)
    strerror_r(errno, &text, text.count)
    return .unreadableFile(
      path: path, message: text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
  }
}
