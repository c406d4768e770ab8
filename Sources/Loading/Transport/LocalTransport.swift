import FoundationEssentials
import Glibc
import Synchronization
public import VitrineConcurrency

/// Reads file and data URLs, each kind on a separate thread, so that a slow disk delays neither network transfers nor
/// data URLs.
///
/// Only regular files are read: a directory, a FIFO or a device is refused with `.unreadableFile`. If this machine is
/// short of file descriptors or memory, or a device fails, the error is a `.transport`, which is retryable. Redirects
/// never lead to this transport, because the transport that follows redirects refuses them.
public final class LocalTransport: DataTransport {
  static let localSchemes = ["file", "data"]

  /// The schemes `file` and `data`.
  public var schemes: Set<String> { Set(Self.localSchemes) }

  /// A function that reads from a file into a buffer, like `read(2)`.
  typealias Read = @Sendable (_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int
  /// A function that opens a file for reading, like `open(2)`.
  typealias Open = @Sendable (_ path: String) -> Int32

  private let lane: LocalLane
  /// The thread that decodes data URLs, which never block on a disk.
  private let decoding = WorkerPool(threads: 1)
  private let lastNumber = Atomic<UInt64>(0)
  private let read: Read
  private let open: Open

  /// Creates a transport. Its threads start when they are needed.
  public convenience init() {
    self.init(clock: SystemLoadingClock()) { Glibc.read($0, $1.baseAddress, $1.count) }
  }

  /// - Parameters:
  ///   - clock: The clock for the time limit of reads.
  ///   - read: The function that reads files.
  ///   - open: The function that opens files.
  init(
    clock: any LoadingClock, read: @escaping Read,
    open: @escaping Open = { Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
  ) {
    lane = LocalLane(clock: clock)
    self.read = read
    self.open = open
  }

  /// Starts reading a URL. Files are read one after another in the order of the calls. A file that cannot be read for
  /// `Timeouts.stall` seconds fails with `.timedOut`, and the following files are read on another thread.
  public func start(_ request: TransportRequest, receiver: any TransportReceiver) -> any Cancellable {
    let transfer = LocalTransfer()
    if request.url.isData {
      startDecoding(request, transfer, receiver)
    } else {
      startReading(request, transfer, receiver)
    }
    return transfer
  }

  private func startReading(
    _ request: TransportRequest, _ transfer: LocalTransfer, _ receiver: any TransportReceiver
  ) {
    let limit = request.timeouts.stall
    lane.submit(
      LocalLane.Job(path: request.url.path(percentEncoded: false), limit: limit) {
        [lane, read, open] number in
        let started = ContinuousClock.now
        let reader = LocalReader(
          request: request, receiver: receiver, transfer: transfer, read: read, openFile: open,
          calls: LocalCalls(lane: lane, number: number))
        let (result, file) = reader.readAll()
        transfer.finish(result.map { TransportMetrics(bytesReceived: $0, since: started) }, receiver)
        if let file { _ = lane.blocking(number) { close(file) } }
      } abandon: {
        transfer.finish(.failure(.timedOut(.stall(seconds: limit))), receiver)
      })
  }

  private func startDecoding(
    _ request: TransportRequest, _ transfer: LocalTransfer, _ receiver: any TransportReceiver
  ) {
    let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    decoding.submit(number) {
      let started = ContinuousClock.now
      let content = DataURLReader(request: request, receiver: receiver, transfer: transfer)
      let result = Result { () throws(ImageError) in try content.readAll() }
      transfer.finish(result.map { TransportMetrics(bytesReceived: $0, since: started) }, receiver)
    }
  }
}

extension URL {
  /// True for a file or data URL, which needs no network.
  var isLocal: Bool {
    guard let scheme else { return false }
    return LocalTransport.localSchemes.contains { HTTPHeaders.isSame($0, scheme) }
  }

  /// Returns true for the text of an absolute file or data URL. Takes less time than to parse the URL.
  static func isLocal(_ text: String) -> Bool {
    LocalTransport.localSchemes.contains { scheme in
      text.utf8.dropFirst(scheme.utf8.count).first == UInt8(ascii: ":")
        && zip(text.utf8, scheme.utf8).allSatisfy { $0 | 0x20 == $1 }
    }
  }

  /// True for a data URL, which contains the body.
  var isData: Bool { scheme?.lowercased() == "data" }
}

extension TransportMetrics {
  fileprivate init(bytesReceived: Int, since start: ContinuousClock.Instant) {
    self.init(bytesReceived: bytesReceived, total: (ContinuousClock.now - start) / .seconds(1))
  }
}

/// Makes the calls of one job that may block.
private struct LocalCalls {
  let lane: LocalLane
  let number: UInt64

  /// Returns the result and the error number of a call, which is repeated if a signal interrupts it. Throws `.timedOut`
  /// if the job was abandoned in the meantime.
  func callAsFunction<Result: SignedInteger>(
    _ limit: Double, _ call: () -> Result
  ) throws(ImageError) -> (result: Result, code: Int32) {
    while true {
      guard let outcome = lane.blocking(number, { (call(), errno) }) else {
        throw .timedOut(.stall(seconds: limit))
      }
      if outcome.0 >= 0 || outcome.1 != EINTR { return outcome }
    }
  }
}

private final class LocalTransfer: Cancellable {
  private struct State {
    var isCancelled = false
    var resumes = 0
  }

  private let state = ConditionLock(State())
  private let isFinished = Atomic(false)

  var isCancelled: Bool { state.withLock(waking: .none) { $0.isCancelled } }
  func cancel() { state.withLock { $0.isCancelled = true } }

  func check() throws(ImageError) { if isCancelled { throw .cancelled } }

  /// Reports the end once. A read that was abandoned may reach its end later, which is ignored.
  func finish(_ result: Result<TransportMetrics, ImageError>, _ receiver: any TransportReceiver) {
    guard !isFinished.exchange(true, ordering: .acquiringAndReleasing) else { return }
    receiver.transportDidFinish(result)
  }

  /// Blocks the reading thread until the receiver has room for `count` bytes, or the transfer is cancelled.
  func waitForMemory(for count: Int, in receiver: any TransportReceiver) {
    while !receiver.transportMayReceive(count, resume: { self.state.withLock { $0.resumes += 1 } }) {
      let isCancelled = state.wait { state -> Bool? in
        guard state.isCancelled || state.resumes > 0 else { return nil }
        state.resumes = 0
        return state.isCancelled
      }
      if isCancelled { return }
    }
  }
}

/// The decoding of one data URL.
private struct DataURLReader {
  let request: TransportRequest
  let receiver: any TransportReceiver
  let transfer: LocalTransfer

  /// Decodes the URL and delivers the body. Returns the number of bytes.
  func readAll() throws(ImageError) -> Int {
    try transfer.check()
    let content = try DataURL(request.url.absoluteString)
    guard content.body.count <= request.bodyLimit else { throw .tooLarge(.body(bytes: request.bodyLimit)) }
    receiver.transportDidReceive(
      TransportResponse(
        url: request.url, status: nil, headers: ["Content-Type": content.mediaType],
        expectedLength: content.body.count))
    transfer.waitForMemory(for: content.body.count, in: receiver)
    try transfer.check()
    content.body.withUnsafeBytes { receiver.transportDidReceive($0) }
    return content.body.count
  }
}

/// The read of one file, on the thread of the lane.
private struct LocalReader {
  private static let chunkLength = 256 << 10

  let request: TransportRequest
  let receiver: any TransportReceiver
  let transfer: LocalTransfer
  let read: LocalTransport.Read
  let openFile: LocalTransport.Open
  let calls: LocalCalls

  private var limit: Double { request.timeouts.stall }

  /// Reads the whole file. Returns the number of bytes, and the file if it still has to be closed.
  func readAll() -> (Result<Int, ImageError>, file: Int32?) {
    var file: Int32?
    let result = Result { () throws(ImageError) in
      try transfer.check()
      return try readFile(&file)
    }
    return (result, file)
  }

  private func readFile(_ descriptor: inout Int32?) throws(ImageError) -> Int {
    let path = request.url.path(percentEncoded: false)
    let host = request.url.host()?.lowercased() ?? ""
    guard host.isEmpty || host == "localhost" else {
      throw .unreadableFile(path: path, message: "a file on another machine, \(host)")
    }
    guard !path.utf8.contains(0) else {
      throw .unreadableFile(path: path, message: "a zero byte in its name")
    }
    let file = try open(path, &descriptor)
    receiver.transportDidReceive(
      TransportResponse(url: request.url, status: nil, expectedLength: file.length))
    return try readAll(file.descriptor, path)
  }

  private func open(
    _ path: String, _ descriptor: inout Int32?
  ) throws(ImageError) -> (descriptor: Int32, length: Int) {
    // The file is checked before it is opened, because opening a device may have effects, and afterwards, because it
    // may have been replaced. It is opened without blocking, because opening a FIFO would block.
    var status = stat()
    let before = try calls(limit) { stat(path, &status) }
    guard before.result == 0 else { throw Self.failure(path, before.code) }
    try Self.checkRegular(status, path)
    var number: Int32 = -1
    let opened = try calls(limit) {
      number = openFile(path)
      // A file that was opened after the time limit must be closed as well.
      if number >= 0 { descriptor = number }
      return number >= 0 ? fstat(number, &status) : -1
    }
    guard opened.result == 0 else { throw Self.failure(path, opened.code) }
    try Self.checkRegular(status, path)
    guard status.st_size <= request.bodyLimit else { throw .tooLarge(.body(bytes: request.bodyLimit)) }
    return (number, Int(status.st_size))
  }

  /// Reads to the end of the file, regardless of the length: files grow, and files in /proc have no length.
  private func readAll(_ descriptor: Int32, _ path: String) throws(ImageError) -> Int {
    var buffer = [UInt8](repeating: 0, count: Self.chunkLength)
    var total = 0
    while true {
      transfer.waitForMemory(for: buffer.count, in: receiver)
      try transfer.check()
      let (count, code) = try calls(limit) { buffer.withUnsafeMutableBytes { read(descriptor, $0) } }
      guard count >= 0 else { throw Self.failure(path, code) }
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

  private static func failure(_ path: String, _ code: Int32) -> ImageError {
    let message = String(cString: strerror(code))
    return switch code {
    case EMFILE, ENFILE, ENOMEM, EAGAIN:
      .transport(.outOfResources, message: "cannot read \(path): \(message)")
    // A loose card or a network file system may work again later.
    case EIO: .transport(.other, message: "cannot read \(path): \(message)")
    default: .unreadableFile(path: path, message: message)
    }
  }
}
