/// Bodies that broke off, by request, until somebody asks again; the oldest go first.
struct PartialBodies {
  /// Bytes that are kept in all; 0 keeps none.
  var limit: Int
  private var bodies: [RequestIdentity: PartialBody] = [:]
  private var order = WaitingList<RequestIdentity>()
  private var lastNumber: UInt64 = 0
  private(set) var bytes = 0

  init(limit: Int) { self.limit = limit }

  /// Keeps a body as the newest. One that is larger than the limit is not kept.
  mutating func keep(_ body: PartialBody, for request: RequestIdentity) {
    _ = take(request)
    guard body.bytes.count <= limit else { return }
    while bytes > limit - body.bytes.count, let oldest = order.head(.fifo)?.item { _ = take(oldest) }
    lastNumber += 1
    order.append(request, priority: .normal, number: lastNumber)
    bodies[request] = body
    bytes += body.bytes.count
  }

  /// The body, which is kept no longer.
  mutating func take(_ request: RequestIdentity) -> PartialBody? {
    guard let body = bodies.removeValue(forKey: request) else { return nil }
    order.remove(request)
    bytes -= body.bytes.count
    return body
  }

  /// Removes and returns the oldest bodies of together at least `bytes` bytes, or all.
  mutating func takeOldest(bytes wanted: Int) -> [PartialBody] {
    var taken: [PartialBody] = []
    var count = 0
    while count < wanted, let oldest = order.head(.fifo)?.item, let body = take(oldest) {
      count += body.bytes.count
      taken.append(body)
    }
    return taken
  }

  /// Forgets all.
  mutating func removeAll() { self = PartialBodies(limit: limit) }
}
