import Glibc
import Synchronization

/// An HTTP/1.1 server on the loopback interface for demos, tests and benchmarks, which misbehaves on
/// request.
///
///     let server = try GalleryServer(pictures: "Assets/pictures")
///     server.add(Resource(body: bytes, contentType: "image/png"), at: "/one.png")
///     let picture = server.baseURL + "/gallery/01.jpg?latency=200"
///     let torn = server.baseURL + "/one.png?truncate=100"
///
/// `/gallery/FILE` is a file of the pictures folder, with a strong `ETag`, `Last-Modified` and
/// `Cache-Control: max-age=3600`; other paths have what was added, anything else is 404. GET and HEAD are
/// answered, conditional requests (`If-None-Match`, `If-Modified-Since` with the very date) with 304.
///
/// Query items change the answer at any path; unknown ones are ignored, so that they tell URLs apart:
///
/// | item | the answer |
/// |---|---|
/// | `latency=MS`, `rate=BYTES` | waits before its first byte; has so many bytes of body a second |
/// | `status=N` | has that status, 200 to 599, and a small text |
/// | `redirect=URL`, `hops=N`, `loop=1` | is 302, or `status` if that is 301, 302, 303, 307 or 308: to URL; to itself with `hops` one less, until 0; to itself |
/// | `html=1`, `empty=1`, `garbage=1` | is a page; has no body; is no HTTP |
/// | `type=TEXT`, `etag=TEXT`, `maxage=S`, `nostore=1` | has that content type, tag, `Cache-Control` |
/// | `header=NAME:VALUE` | has that header, in place of the server's own; may come several times |
/// | `length=+N`, `-N`, `none` | says a length so much off, or none, and closes |
/// | `chunked=1`, `endless=1` | comes in chunks; in chunks without end |
/// | `truncate=BYTES`, `stall=BYTES`, `reset=BYTES` | after so many bytes of body closes; sends nothing more; resets the connection |
/// | `close=1` | closes the connection |
///
/// A reset takes away what the reader's socket has not received by then. A client that closes its
/// sending half is treated as closed. A connection that waits for a request is closed after a minute, and earlier if
/// connections take more than a quarter of the descriptors that the process may open. An answer of which nothing is sent
/// for a minute is given up, unless it waits for its `latency` or `rate`.
public final class GalleryServer: Sendable {
  /// The port that is listened on.
  public let port: UInt16

  private let state: ServerState
  private let thread: Mutex<LoopThread?>

  /// Listens on 127.0.0.1, a free port unless one is given, and serves on a thread of its own, with the
  /// files of `folder` under `/gallery/`.
  ///
  /// - Parameter logBytes: The maximum memory for the log in bytes; with 0, requests are not logged.
  public convenience init(
    pictures folder: String? = nil, port: UInt16 = 0, behaviour: Behaviour = .init(), logBytes: Int = 32 << 20
  ) throws(GalleryServerError) {
    try self.init(
      pictures: folder, port: port, behaviour: behaviour, logBytes: logBytes, limit: .ofProcess,
      accept: { Glibc.accept($0, nil, nil) })
  }

  /// - Parameter accept: A function that accepts a connection; tests can pass one that fails.
  init(
    pictures folder: String? = nil, port: UInt16 = 0, behaviour: Behaviour = .init(),
    logBytes: Int = 32 << 20,
    limit: ConnectionLimit, accept: @escaping Accept
  ) throws(GalleryServerError) {
    var pictures: PictureFolder?
    if let folder {
      pictures = PictureFolder(path: folder)
      if pictures == nil { throw .noSuchFolder(folder) }
    }
    let state = ServerState(
      behaviour: behaviour, catalog: Catalog(folder: pictures), logBytes: max(0, logBytes))
    let listener = try listen(onPort: port)
    let thread = try LoopThread(closing: listener.descriptor, port: listener.port) { wakeUps in
      ServerLoop(
        listener: listener.descriptor, wakeUps: wakeUps, server: state, limit: limit, accept: accept
      ).run()
    }
    self.port = listener.port
    self.state = state
    self.thread = Mutex(thread)
  }

  deinit {
    stop()
  }

  /// Where the server is, `http://127.0.0.1:PORT`, without a slash at the end.
  public var baseURL: String { "http://127.0.0.1:\(port)" }

  /// How answers behave from now on; those that run keep the behaviour they began with.
  public var behaviour: Behaviour {
    get { state.behaviour.withLock { $0 } }
    set {
      state.behaviour.withLock { $0 = newValue }
      thread.withLock { $0?.wake() }
    }
  }

  /// The requests in order of arrival: the latest 100,000, or fewer if they take more memory than the log may.
  public var log: [Record] { state.log.records }

  /// How many connections were accepted so far.
  public var connectionCount: Int { state.log.connectionCount }

  /// Forgets the requests so far. Connections keep their numbers.
  public func clearLog() {
    state.log.clear()
  }

  /// Puts a resource at a path such as `/one.png`, in place of what was there. It wins over a file of the
  /// pictures folder.
  public func add(_ resource: Resource, at path: String) {
    state.catalog.add(resource, at: path)
  }

  /// Closes every connection and joins the server's thread. A second call does nothing.
  public func stop() {
    thread.withLock { thread in
      state.isStopping.store(true, ordering: .releasing)
      thread?.join()
      thread = nil
    }
  }

  /// Blocks until the log holds so many requests, answered or not; false when so many seconds went by.
  public func waitForRequests(_ count: Int, timeout: Double) -> Bool {
    wait(timeout: timeout) { $0.count >= count }
  }

  /// Blocks until the log satisfies `condition`; false when so many seconds went by. The condition is
  /// tried on the caller's thread, each time that something changes.
  public func wait(timeout: Double, until condition: ([Record]) -> Bool) -> Bool {
    state.log.wait(timeout: timeout, until: condition)
  }
}
