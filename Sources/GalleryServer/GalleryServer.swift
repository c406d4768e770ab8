import Glibc
import Synchronization

/// An HTTP/1.1 server on the loopback interface for demos, tests and benchmarks, which misbehaves on request.
///
///     let server = try GalleryServer(images: "Assets/gallery")
///     server.add(Resource(body: bytes, contentType: "image/png"), at: "/one.png")
///     let image = server.baseURL + "/gallery/01.jpg?latency=200"
///     let torn = server.baseURL + "/one.png?truncate=100"
///
/// `/gallery/FILE` is a file of the image folder, with a strong `ETag`, `Last-Modified` and `Cache-Control:
/// max-age=3600`. `/live/gallery.mjpeg` shows the first JPEG files of the folder one after another, as a camera does
/// (`multipart/x-mixed-replace`), until the client disconnects. Other paths serve the resources that were added; any
/// other path is 404. The server supports GET and HEAD, and replies to conditional requests (`If-None-Match`, and
/// `If-Modified-Since` with the exact date) with 304, and to a range of bytes with 206 or 416 (with `If-Range`, only
/// for the current strong entity tag or exact date).
///
/// Query items change the response at any path. Unknown items are ignored, so that they can make URLs distinct:
///
/// | item | the response |
/// |---|---|
/// | `latency=MS`, `rate=BYTES` | waits before the first byte; sends the body at this number of bytes per second |
/// | `status=N` | has this status, 200 to 599, and a short text as its body |
/// | `redirect=URL`, `hops=N`, `loop=1` | is 302, or `status` if that is 301, 302, 303, 307 or 308: to URL; to its own URL with `hops` decremented, until 0; to its own URL |
/// | `html=1`, `empty=1`, `garbage=1` | is an HTML page; has an empty body; is not HTTP |
/// | `type=TEXT`, `etag=TEXT`, `maxage=S`, `nostore=1` | has this content type, entity tag, `Cache-Control` |
/// | `header=NAME:VALUE` | has this header instead of the server's own; may be repeated |
/// | `length=+N`, `-N`, `none` | declares a wrong length (by N bytes) or none, and closes the connection |
/// | `chunked=1`, `endless=1` | is chunked; is chunked and never ends |
/// | `truncate=BYTES`, `stall=BYTES`, `reset=BYTES` | after this number of bytes of the body or range closes the connection; sends nothing more; resets the connection |
/// | `close=1` | closes the connection |
///
/// The live stream follows `latency`, `rate`, `status`, `redirect`, `html`, `empty`, `garbage`, `type` and `header`,
/// and items of its own: `fps=N` for N frames per second, 5 by default and at most 60; `parts=N` to end after N frames;
/// `hang=1` to send nothing more after these instead; `lengths=0` for parts without a `Content-Length`.
///
/// A reset discards the bytes that the client's socket has not received yet. A client that closes its sending half is
/// treated as disconnected. A connection that waits for a request stays open until connections take more than a
/// quarter of the file descriptors that the process may open. A response of which nothing is sent for a minute is
/// aborted, unless it is waiting because of its `latency` or `rate`.
package final class GalleryServer: Sendable {
  /// The port on which the server listens.
  package let port: UInt16

  private let state: ServerState
  private let thread: Mutex<LoopThread?>

  /// Listens on 127.0.0.1 and serves on a new thread.
  ///
  /// - Parameters:
  ///   - folder: The folder whose files are served under `/gallery/`; `nil` for none.
  ///   - port: The port to listen on; 0, the default, for any free port.
  ///   - behaviour: The initial behaviour.
  ///   - logBytes: The maximum memory for the log in bytes; with 0, requests are not logged.
  /// - Throws: `.noSuchFolder`, `.cannotListen` or `.noThread`.
  package convenience init(
    images folder: String? = nil, port: UInt16 = 0, behaviour: Behaviour = .init(), logBytes: Int = 32 << 20
  ) throws(GalleryServerError) {
    try self.init(
      images: folder, port: port, behaviour: behaviour, logBytes: logBytes, limit: .ofProcess,
      accept: { Glibc.accept($0, nil, nil) })
  }

  /// Creates a server with other limits.
  ///
  /// - Parameter accept: A function that accepts a connection; tests can pass one that fails.
  init(
    images folder: String? = nil, port: UInt16 = 0, behaviour: Behaviour = .init(), logBytes: Int = 32 << 20,
    limit: ConnectionLimit, accept: @escaping Accept
  ) throws(GalleryServerError) {
    var images: ImageFolder?
    if let folder {
      images = ImageFolder(path: folder)
      if images == nil { throw .noSuchFolder(folder) }
    }
    let state = ServerState(
      behaviour: behaviour, catalog: Catalog(folder: images), logBytes: max(0, logBytes))
    let listener = try listen(onPort: port)
    let thread = try LoopThread(closing: listener.descriptor, port: listener.port) { wakeup in
      ServerLoop(
        listener: listener.descriptor, wakeup: wakeup, server: state, limit: limit, accept: accept
      ).run()
    }
    self.port = listener.port
    self.state = state
    self.thread = Mutex(thread)
  }

  deinit { stop() }

  /// The base URL of the server, `http://127.0.0.1:PORT`, without a trailing slash.
  package var baseURL: String { "http://127.0.0.1:\(port)" }

  /// The behaviour of responses from now on. Running responses keep the behaviour with which they began.
  package var behaviour: Behaviour {
    get { state.behaviour.withLock { $0 } }
    set {
      state.behaviour.withLock { $0 = newValue }
      thread.withLock { $0?.wake() }
    }
  }

  /// The requests in order of arrival: the latest 100,000, or fewer if they take more memory than the log may.
  package var log: [Record] { state.log.records }

  /// The number of connections accepted so far.
  package var connectionCount: Int { state.log.connectionCount }

  /// Clears the log of requests. Connections keep their numbers.
  package func clearLog() { state.log.clear() }

  /// Adds a resource at a path such as `/one.png`, replacing any earlier one. An added resource takes precedence over a
  /// file of the image folder.
  package func add(_ resource: Resource, at path: String) { state.catalog.add(resource, at: path) }

  /// Closes every connection and waits for the server's thread to end. A second call does nothing.
  package func stop() {
    thread.withLock { thread in
      state.isStopping.store(true, ordering: .releasing)
      thread?.join()
      thread = nil
    }
  }

  /// Blocks until the log holds `count` requests, with or without a response. Returns false after `timeout` seconds.
  package func waitForRequests(_ count: Int, timeout: Double) -> Bool {
    wait(timeout: timeout) { $0.count >= count }
  }

  /// Blocks until the log satisfies `condition`. Returns false after `timeout` seconds. `condition` is evaluated on the
  /// caller's thread after each change of the log.
  package func wait(timeout: Double, until condition: ([Record]) -> Bool) -> Bool {
    state.log.wait(timeout: timeout, until: condition)
  }
}
