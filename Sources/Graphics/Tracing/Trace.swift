import Synchronization
import VitrineConcurrency

/// A ring buffer of the latest events of all requests, to find out where the time of a load went. The downloader and
/// the host record events at all times.
///
/// ```swift
/// try ChromeTrace(.shared).write(to: "trace.json")  // open it in Perfetto
/// ```
///
/// May be used from any thread. Recording takes some tens of nanoseconds, and no memory once the ring buffer is full.
public final class Trace: Sendable {
  /// The default trace of downloaders and hosts.
  public static let shared = Trace()
  /// The number of characters after which URLs, such as data URLs, are truncated.
  private static let longestURL = 1024
  /// The number of frames without a newly shown image after which the trace stops waiting for images to be shown.
  private static let frameLimit = 240

  private struct State {
    var ring: EventRing
    var lastNumber: UInt64 = 0
    /// The numbers of delivered images that have not been on the screen yet, with the count of `ring` at the delivery; 0 or
    /// less for deliveries before the last `removeAll`.
    var awaited: [UInt64: Int] = [:]
    /// The number of frames since the last image was delivered or shown.
    var framesWaited = 0

    /// Begins to wait for the image that the last event delivered. Without a screen no image is ever shown, so images
    /// whose event has been overwritten are dropped now and then.
    mutating func awaitFrame(with image: UInt64, _ capacity: Int) {
      awaited[image] = ring.count
      framesWaited = 0
      if awaited.count - capacity > capacity { awaited = awaited.filter { $0.value > ring.count - capacity } }
    }
  }

  /// The maximum number of events. A trace with capacity 0 records nothing.
  public let capacity: Int
  private let clock: @Sendable () -> Int64
  private let state: Shared<State>

  /// Creates an empty trace.
  ///
  /// - Parameters:
  ///   - capacity: The maximum number of events; 4096 by default, about the last 500 images in 0.5 MB. The oldest
  ///     events are overwritten. Memory is taken as events are recorded.
  ///   - clock: Returns nanoseconds since a fixed time in the past; `nil`, the default, for the system's clock.
  public init(capacity: Int = 4096, clock: (@Sendable () -> Int64)? = nil) {
    self.capacity = max(0, capacity)
    state = Shared(State(ring: EventRing(capacity: capacity)))
    self.clock = clock ?? { Trace.systemTime() }
  }

  /// Returns the nanoseconds since the machine was started, including the time in which it was suspended.
  package static func systemTime() -> Int64 { SystemLoadingClock().now }

  /// True if the trace records events.
  package var isEnabled: Bool { capacity > 0 }
  /// The current time in nanoseconds of the trace's clock.
  package var now: Int64 { clock() }

  /// The recorded events, which `ChromeTrace` writes, in the order of recording, which is approximately the order of
  /// their times. O(events).
  package var events: [TraceEvent] {
    state.withLock { $0.ring.events }
  }

  /// The number of events that were recorded and have been overwritten.
  package var lostEvents: Int { state.withLock { $0.ring.lostCount } }

  /// Removes all events, so that a document shows only what follows.
  public func removeAll() {
    state.withLock { state in
      let count = state.ring.count
      state.awaited = state.awaited.mapValues { $0 - count }
      state.ring.removeAll()
    }
  }

  // MARK: Recording

  /// Records an event, at the current time by default.
  package func record(_ kind: TraceEvent.Kind, at time: Int64? = nil) {
    guard capacity > 0 else { return }
    let event = TraceEvent(time: time ?? clock(), kind: kind)
    state.withLock { $0.ring.append(event) }
  }

  /// Records that a request was served from memory, and waits until the image is shown on the screen.
  package func recordServed(url: String, image: UInt64) {
    guard capacity > 0 else { return }
    let time = clock()
    let url = Self.shortened(url)
    state.withLock { state in
      state.lastNumber += 1
      let kind = TraceEvent.Kind.served(request: state.lastNumber, url: url, image: image)
      state.ring.append(TraceEvent(time: time, kind: kind))
      state.awaitFrame(with: image, capacity)
    }
  }

  /// Records that a request failed before any work was started for it.
  package func recordRefused(
    url: String, began: Int64, memory: TraceEvent.Miss, _ outcome: TraceEvent.Outcome
  ) {
    guard capacity > 0 else { return }
    let time = clock()
    let url = Self.shortened(url)
    state.withLock { state in
      state.lastNumber += 1
      let request = TraceEvent.Request(
        number: state.lastNumber, url: url, began: began, memory: memory, disk: nil, fetch: 0, decode: 0,
        processedImage: 0)
      state.ring.append(TraceEvent(time: time, kind: .requested(request)))
      state.ring.append(TraceEvent(time: time, kind: .responded(request: request.number, outcome)))
    }
  }

  /// Records that a request was completed, and waits until the image, if any, is shown on the screen.
  package func recordResponse(_ request: UInt64, _ outcome: TraceEvent.Outcome) {
    guard capacity > 0 else { return }
    let event = TraceEvent(time: clock(), kind: .responded(request: request, outcome))
    state.withLock { state in
      state.ring.append(event)
      if case .image(let image, _) = outcome { state.awaitFrame(with: image, capacity) }
    }
  }

  /// True if a delivered image has not been on the screen yet.
  package var awaitsFrames: Bool { awaitedImages > 0 }
  var awaitedImages: Int { state.withLock { $0.awaited.count } }

  /// Records that a frame is on the screen. `images` are the numbers of the images drawn in the frame.
  package func recordFrame(with images: some Sequence<UInt64>) {
    let time = clock()
    state.withLock { state in
      for image in images where state.awaited.removeValue(forKey: image) != nil {
        state.framesWaited = 0
        state.ring.append(TraceEvent(time: time, kind: .shown(image: image)))
      }
      // Prefetched images may never be shown.
      state.framesWaited += 1
      if state.framesWaited > Self.frameLimit { state.awaited.removeAll() }
      if state.awaited.isEmpty { state.framesWaited = 0 }
    }
  }

  /// Returns the first number of a range of 2^40 numbers. Ranges are unique in the process.
  package func reserveNumbers() -> UInt64 {
    Self.reservations.wrappingAdd(1, ordering: .relaxed).newValue << 40
  }

  private static let reservations = Atomic<UInt64>(0)

  /// Returns the URL without user and password, truncated after 1,024 characters.
  package static func shortened(_ url: String) -> String {
    let url = url.separatingLogin.url
    return url.utf8.count <= longestURL ? url : String(url.prefix(longestURL)) + "…"
  }
}

extension Trace: Hashable {
  /// Compares instances by identity.
  public static func == (a: Trace, b: Trace) -> Bool { a === b }
  /// Hashes the identity of the instance.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
