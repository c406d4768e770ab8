import Synchronization

/// The last events of all requests, in a ring: downloader and host write into it at all times, and whoever wants to know
/// where the time went reads it.
///
/// ```swift
/// try ChromeTrace(Trace.shared.events).write(to: "trace.json")  // open it in Perfetto
/// ```
///
/// May be used from any thread. Recording takes some tens of nanoseconds and no memory once the ring is full.
public final class Trace: Sendable {
  /// The trace of all downloaders and hosts that are not given another.
  public static let shared = Trace()
  /// Events that are kept unless said otherwise: those of the last 500 pictures or so, 0.5 MB.
  public static let defaultCapacity = 4096
  /// Of longer URLs, as of data URLs, only the beginning is kept.
  private static let longestURL = 1024
  /// Frames after which nobody waits any more for an image to be seen.
  private static let patience = 240

  private struct State {
    var ring: [TraceEvent] = []
    /// Events recorded so far.
    var count = 0
    var lastNumber: UInt64 = 0
    /// Images that were handed out and not seen on the screen yet, with the count of events at that time.
    var awaited: [UInt64: Int] = [:]
    /// Frames since an image was handed out, or seen.
    var framesWaited = 0

    mutating func record(_ event: TraceEvent, _ capacity: Int) {
      if ring.count < capacity { ring.append(event) } else { ring[count % capacity] = event }
      count += 1
    }

    /// Waits for an image that the last event has handed out. Without a screen none is ever seen: those whose event has
    /// been overwritten are waited for no longer.
    mutating func awaitFrame(with image: UInt64, _ capacity: Int) {
      awaited[image] = count
      framesWaited = 0
      if awaited.count > 2 * capacity { awaited = awaited.filter { $0.value > count - capacity } }
    }
  }

  /// How many events it keeps; with 0 it records nothing.
  public let capacity: Int
  private let clock: @Sendable () -> Int64
  private let state = Shared(State())

  /// - Parameters:
  ///   - capacity: events to keep, the oldest going first; memory is taken as they come.
  ///   - clock: nanoseconds since some time in the past; the system's by default.
  public init(
    capacity: Int = defaultCapacity, clock: @escaping @Sendable () -> Int64 = Trace.systemTime
  ) {
    self.capacity = max(0, capacity)
    self.clock = clock
  }

  /// Nanoseconds since the process first asked for it, those that the machine slept through included.
  public static func systemTime() -> Int64 {
    let time = origin.duration(to: .now).components
    return time.seconds * 1_000_000_000 + time.attoseconds / 1_000_000_000
  }

  private static let origin = ContinuousClock.now

  /// Whether it records anything.
  package var isEnabled: Bool { capacity > 0 }
  /// Nanoseconds of the trace's clock.
  package var now: Int64 { clock() }

  /// The events it has, in the order they were recorded, which is about that of their times. O(events).
  public var events: [TraceEvent] {
    state.withLock { state in
      guard state.count > capacity else { return state.ring }
      let oldest = state.count % capacity
      return Array(state.ring[oldest...] + state.ring[..<oldest])
    }
  }

  /// Events that were recorded and have been overwritten since.
  public var lostEvents: Int { state.withLock { max(0, $0.count - capacity) } }

  /// Forgets all events.
  public func removeAll() {
    state.withLock { state in
      state.ring.removeAll()
      state.count = 0
    }
  }

  // MARK: Recording

  /// Notes what happened, now unless another time is given.
  package func record(_ kind: TraceEvent.Kind, at time: Int64? = nil) {
    guard capacity > 0 else { return }
    let event = TraceEvent(time: time ?? clock(), kind: kind)
    state.withLock { $0.record(event, capacity) }
  }

  /// A request was served from memory; its image is waited for on the screen from now on.
  package func recordServed(url: String, image: UInt64) {
    guard capacity > 0 else { return }
    let time = clock()
    let url = Self.shortened(url)
    state.withLock { state in
      state.lastNumber += 1
      let kind = TraceEvent.Kind.served(request: state.lastNumber, url: url, image: image)
      state.record(TraceEvent(time: time, kind: kind), capacity)
      state.awaitFrame(with: image, capacity)
    }
  }

  /// A request failed before anything was begun for it.
  package func recordRefused(
    url: String, began: Int64, memory: TraceEvent.Miss, _ outcome: TraceEvent.Outcome
  ) {
    guard capacity > 0 else { return }
    let time = clock()
    let url = Self.shortened(url)
    state.withLock { state in
      state.lastNumber += 1
      let request = TraceEvent.Request(
        number: state.lastNumber, url: url, began: began, memory: memory, disk: .noCache, fetch: 0, decode: 0,
        picture: 0)
      state.record(TraceEvent(time: time, kind: .requested(request)), capacity)
      state.record(TraceEvent(time: time, kind: .answered(request: request.number, outcome)), capacity)
    }
  }

  /// A caller was answered; an image is waited for on the screen from now on.
  package func recordAnswer(_ request: UInt64, _ outcome: TraceEvent.Outcome) {
    guard capacity > 0 else { return }
    let event = TraceEvent(time: clock(), kind: .answered(request: request, outcome))
    state.withLock { state in
      state.record(event, capacity)
      if case .image(let image, _) = outcome { state.awaitFrame(with: image, capacity) }
    }
  }

  /// Whether an image has been handed out that has not been on the screen since.
  package var awaitsFrames: Bool { awaitedImages > 0 }
  var awaitedImages: Int { state.withLock { $0.awaited.count } }

  /// A frame is on the screen; `images` are those drawn in it.
  package func recordFrame(with images: some Sequence<UInt64>) {
    let time = clock()
    state.withLock { state in
      for image in images where state.awaited.removeValue(forKey: image) != nil {
        state.framesWaited = 0
        state.record(TraceEvent(time: time, kind: .shown(image: image)), capacity)
      }
      // What was loaded ahead may never be shown.
      state.framesWaited += 1
      if state.framesWaited > Self.patience { state.awaited.removeAll() }
      if state.awaited.isEmpty { state.framesWaited = 0 }
    }
  }

  /// The first of two to the power of 40 numbers that nobody else uses.
  package func reserveNumbers() -> UInt64 {
    Self.reservations.wrappingAdd(1, ordering: .relaxed).newValue << 40
  }

  private static let reservations = Atomic<UInt64>(0)

  package static func shortened(_ url: String) -> String {
    let url = url.separatingLogin.url
    return url.utf8.count <= longestURL ? url : String(url.prefix(longestURL)) + "…"
  }
}

extension Trace: Hashable {
  /// Whether the two are the same instance.
  public static func == (a: Trace, b: Trace) -> Bool { a === b }
  /// By identity, as `==`.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
