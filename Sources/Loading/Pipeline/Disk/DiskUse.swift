/// The use of the stored response that the cache policy of a request allows, the strictest first.
enum DiskUse: Int, Comparable {
  /// No use: the request needs a response of the server.
  case none
  /// In a conditional request, which asks the server whether the image has changed.
  case conditional
  /// Any use that the response headers and the freshness rules allow.
  case byFreshness

  init(_ policy: ImageRequest.CachePolicy) {
    switch policy {
    case .useCache, .cacheOnly: self = .byFreshness
    case .refresh: self = .conditional
    case .reload: self = .none
    }
  }

  static func < (a: DiskUse, b: DiskUse) -> Bool { a.rawValue < b.rawValue }
}
