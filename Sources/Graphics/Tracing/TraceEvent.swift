/// Something that happened to a request, or to work that requests share, at a moment.
///
/// Numbers tell requests, fetches, decodes and pictures apart; each is used once in a `Trace`. Images are named by
/// `Image.number`. A request that joins work under way names the same fetch, decode or picture as the one before it.
public struct TraceEvent: Hashable, Sendable {
  /// Nanoseconds of the trace's clock.
  public let time: Int64
  /// What happened.
  public let kind: Kind

  /// An event at a moment.
  public init(time: Int64, kind: Kind) {
    self.time = time
    self.kind = kind
  }

  /// What happened.
  public enum Kind: Hashable, Sendable {
    /// Memory had the picture: asked and answered at once.
    case served(request: UInt64, url: String, image: UInt64)
    /// Neither memory nor disk had it: what it waits for from here on.
    case requested(Request)
    /// A thread began to look for its bytes on disk.
    case lookupBegan(fetch: UInt64)
    /// It ended, with or without.
    case lookupEnded(fetch: UInt64, isFound: Bool)
    /// A download or the reading of a file left the queue.
    case fetchBegan(fetch: UInt64)
    /// It ended, whatever became of it.
    case fetchEnded(fetch: UInt64, Transfer)
    /// A thread took bytes to decode them.
    case decodeBegan(decode: UInt64)
    /// Pixels of a size are there; 0 x 0 if the bytes were no picture.
    case decodeEnded(decode: UInt64, width: Int32, height: Int32)
    /// A thread took a decoded picture to transform it.
    case transformBegan(picture: UInt64)
    /// The transforms are done.
    case transformEnded(picture: UInt64)
    /// A caller has its answer.
    case answered(request: UInt64, Outcome)
    /// An image was made ready for the screen; it began so many nanoseconds before.
    case uploaded(image: UInt64, duration: Int64)
    /// The first frame with an image, since somebody was given it, is on the screen.
    case shown(image: UInt64)
  }

  /// A request that memory could not serve.
  public struct Request: Hashable, Sendable {
    /// Its own number.
    public let number: UInt64
    /// What it asks for, without the fragment.
    public let url: String
    /// When it was asked for; memory and disk were looked at since.
    public let began: Int64
    /// Why memory did not have it.
    public let memory: Miss
    /// Why the disk did not have it.
    public let disk: Miss
    /// What brings its bytes; 0 for a request that was refused at once.
    public let fetch: UInt64
    /// What makes its pixels.
    public let decode: UInt64
    /// What makes its picture.
    public let picture: UInt64

    /// All of it.
    public init(
      number: UInt64, url: String, began: Int64, memory: Miss, disk: Miss, fetch: UInt64, decode: UInt64,
      picture: UInt64
    ) {
      self.number = number
      self.url = url
      self.began = began
      self.memory = memory
      self.disk = disk
      self.fetch = fetch
      self.decode = decode
      self.picture = picture
    }
  }

  /// Why a cache did not have a picture.
  public enum Miss: String, Hashable, Sendable, CaseIterable {
    /// It never had it, or somebody removed it.
    case absent = "not there"
    /// It had it, and let it go to make room.
    case purged = "purged for room"
    /// It has the picture with fewer pixels than are needed.
    case tooSmall = "only smaller sizes"
    /// The request's cache policy asks for it anew.
    case bypassed = "asked for anew"
    /// The downloader has no such cache.
    case noCache = "no such cache"
  }

  /// What a caller was answered.
  public enum Outcome: Hashable, Sendable {
    /// An image; `source` as in `ImageResponse.Source`.
    case image(UInt64, source: String)
    /// It gave up.
    case cancelled
    /// The error's description.
    case failed(String)
  }

  /// What a transfer took. Microseconds from the start of its last hop, each from the same instant; 0 where there was
  /// nothing to do.
  public struct Transfer: Hashable, Sendable {
    /// Name looked up.
    public var nameLookup: UInt32 = 0
    /// Connected.
    public var connect: UInt32 = 0
    /// TLS done.
    public var tls: UInt32 = 0
    /// The first byte of the answer.
    public var firstByte: UInt32 = 0
    /// The end.
    public var total: UInt32 = 0
    /// Of the last answer's status line and headers.
    public var headBytes: UInt32 = 0
    /// Of the last request.
    public var bytesSent: UInt32 = 0
    /// Of the body.
    public var bytes = 0
    /// What the last answer came in, as `1.1` or `2`; nil without one.
    public var httpVersion: String?
    /// Numeric address that the last request was sent to; nil without a connection.
    public var serverAddress: String?
    /// Requests sent, redirects and answered challenges included; 0 for what is read on this machine.
    public var requests: UInt16 = 0
    /// Redirects followed.
    public var redirects: UInt16 = 0
    /// Connections opened; 0 when one was reused.
    public var connections: UInt16 = 0
    /// Whether the last request went over a connection that was there before.
    public var isReused = false
    /// Whether it is a file or a data URL.
    public var isLocal = false
    /// Whether all of it came.
    public var isComplete = false

    /// Nothing took any time.
    public init() {}
  }
}
