/// An event in the life of a request, or of work that several requests share.
///
/// Requests, fetches, decodes and processed images have numbers, each used once in a `Trace`. Images have the number
/// `Image.number`. A request that joins running work has the same fetch, decode or processed image number as the
/// request that started the work.
package struct TraceEvent: Hashable, Sendable {
  /// The time in nanoseconds of the trace's clock.
  package let time: Int64
  /// The type and the details of the event.
  package let kind: Kind

  /// Creates an event.
  package init(time: Int64, kind: Kind) {
    self.time = time
    self.kind = kind
  }

  /// The types of events and the details of each.
  package enum Kind: Hashable, Sendable {
    /// The memory cache had the image, and the request was completed at once.
    case served(request: UInt64, url: String, image: UInt64)
    /// The memory cache did not have the image, and the request began to wait or failed at once.
    case requested(Request)
    /// A thread began to look for a fetch's bytes on disk.
    case lookupBegan(fetch: UInt64)
    /// The disk lookup of a fetch ended, with a hit or a miss.
    case lookupEnded(fetch: UInt64, isFound: Bool)
    /// A download or the reading of a file left the queue.
    case fetchBegan(fetch: UInt64)
    /// A download or the reading of a file ended, successfully or not.
    case fetchEnded(fetch: UInt64, Transfer)
    /// A thread began to decode bytes.
    case decodeBegan(decode: UInt64)
    /// A decode ended with an image of this size in pixels; 0x0 if the decode failed.
    case decodeEnded(decode: UInt64, width: Int32, height: Int32)
    /// A thread began to transform a decoded image.
    case transformBegan(processedImage: UInt64)
    /// The transforms of an image ended.
    case transformEnded(processedImage: UInt64)
    /// The completion handler of a request was called.
    case responded(request: UInt64, Outcome)
    /// A texture was made from an image. It took `duration` nanoseconds.
    case uploaded(image: UInt64, duration: Int64)
    /// An image is on the screen for the first time since a request delivered it.
    case shown(image: UInt64)
  }

  /// A request that the memory cache could not serve.
  package struct Request: Hashable, Sendable {
    /// The number of the request.
    package let number: UInt64
    /// The URL of the request, without the fragment and the login, truncated after 1,024 characters.
    package let url: String
    /// The start time in nanoseconds of the trace's clock, before the memory lookup.
    package let began: Int64
    /// The reason why the memory cache did not have the image.
    package let memory: Miss
    /// The reason why the disk cache is not looked up: `.bypassed` or `.noCache`. `nil` if it is looked up, which has
    /// events of its own, and for a request that failed at once.
    package let disk: Miss?
    /// The number of the fetch that loads the bytes; 0 for a request that failed at once.
    package let fetch: UInt64
    /// The number of the decode; 0 for a request that failed at once.
    package let decode: UInt64
    /// The number of the processed image; 0 for a request that failed at once.
    package let processedImage: UInt64

    /// Creates a request from the given properties.
    package init(
      number: UInt64, url: String, began: Int64, memory: Miss, disk: Miss?, fetch: UInt64, decode: UInt64,
      processedImage: UInt64
    ) {
      self.number = number
      self.url = url
      self.began = began
      self.memory = memory
      self.disk = disk
      self.fetch = fetch
      self.decode = decode
      self.processedImage = processedImage
    }
  }

  /// The reason for a cache miss.
  package enum Miss: String, Hashable, Sendable, CaseIterable {
    /// The image was never in the cache, or was removed by the application.
    case absent = "not cached"
    /// The image was evicted to make room.
    case purged = "evicted to make room"
    /// The cache has the image, but with fewer pixels than needed.
    case tooSmall = "only smaller sizes"
    /// The response from which the image was made is past its lifetime.
    case expired = "past its lifetime"
    /// The request's cache policy does not allow cached images.
    case bypassed = "bypassed by the cache policy"
    /// There is no such cache for the request.
    case noCache = "no such cache"
  }

  /// The result of a request.
  package enum Outcome: Hashable, Sendable {
    /// An image, by number; `source` is the raw value of an `ImageResponse.Source`.
    case image(UInt64, source: String)
    /// The request was cancelled.
    case cancelled
    /// The request failed; the value is the error's description.
    case failed(String)
  }

  /// The durations, sizes and connections of a fetch.
  ///
  /// Times are in microseconds since the start of the last hop, not of the phase before; 0 for a phase that did not
  /// happen.
  package struct Transfer: Hashable, Sendable {
    /// The time at which the host name was resolved.
    package var nameLookup: UInt32 = 0
    /// The time at which the connection was established.
    package var connect: UInt32 = 0
    /// The time at which the TLS handshake was complete.
    package var tls: UInt32 = 0
    /// The time at which the first byte of the response arrived.
    package var firstByte: UInt32 = 0
    /// The time at which the transfer ended.
    package var total: UInt32 = 0
    /// The size of the last response's status line and headers in bytes.
    package var headBytes: UInt32 = 0
    /// The size of the last transport request in bytes.
    package var bytesSent: UInt32 = 0
    /// The size of the body in bytes.
    package var bytes = 0
    /// The HTTP version of the last response, such as `1.1` or `2`; `nil` without a response.
    package var httpVersion: String?
    /// The numeric address to which the last transport request was sent; `nil` without a connection.
    package var serverAddress: String?
    /// The number of transport requests, including those after redirects and authentication challenges; 0 for files and
    /// data URLs.
    package var requests: UInt16 = 0
    /// The number of redirects followed.
    package var redirects: UInt16 = 0
    /// The number of connections opened; 0 if a connection was reused.
    package var connections: UInt16 = 0
    /// True if the last transport request used an existing connection.
    package var isReused = false
    /// True if the bytes come from a file or a data URL.
    package var isLocal = false
    /// True if the transfer succeeded.
    package var isComplete = false

    /// Creates a transfer with zeros, `nil` and `false` in all properties.
    package init() {}
  }
}
