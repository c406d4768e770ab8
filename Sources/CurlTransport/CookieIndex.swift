/// The cookies of a jar by domain. Decides which cookies exceed the limits of the jar.
struct CookieIndex {
  /// The maximum number of cookies, per domain and in total.
  struct Limits {
    var perDomain = 50
    var total = 1000
  }

  private let limits: Limits
  private var cookies: [String: [JarCookie]] = [:]
  /// Sequence numbers of the cookies in the order of their arrival.
  private var ages: [JarCookie.Key: UInt64] = [:]
  private var lastAge: UInt64 = 0

  init(_ limits: Limits = Limits()) { self.limits = limits }

  var count: Int { ages.count }

  /// Replaces the cookies with those of the jar. Returns the cookies that exceed the limits and are therefore left out:
  /// the oldest ones. Expired cookies are left out as well: libcurl removes them when it adds or sends cookies.
  mutating func update(_ lines: [String], at now: Int64 = 0) -> [JarCookie] {
    var unexpired: [(age: UInt64, cookie: JarCookie)] = []
    for cookie in lines.compactMap({ JarCookie($0) }) where !cookie.isExpired(at: now) {
      if ages[cookie.key] == nil {
        lastAge += 1
        ages[cookie.key] = lastAge
      }
      unexpired.append((ages[cookie.key] ?? 0, cookie))
    }
    ages = [:]
    cookies = [:]
    var excess: [JarCookie] = []
    var keptCount = 0
    for (age, cookie) in unexpired.sorted(by: { $0.age > $1.age }) {
      if keptCount >= limits.total || cookies[cookie.domain]?.count ?? 0 >= limits.perDomain {
        excess.append(cookie)
      } else {
        cookies[cookie.domain, default: []].append(cookie)
        ages[cookie.key] = age
        keptCount += 1
      }
    }
    return excess
  }

  /// Returns the cookies that libcurl sends with a request for `address`. O(n) for n cookies of the host and its parent
  /// domains.
  func cookies(for address: WebAddress, at now: Int64) -> [JarCookie] {
    guard !cookies.isEmpty else { return [] }
    var domain = address.origin.host.lowercased()[...]
    if domain.hasPrefix("["), domain.hasSuffix("]") { domain = domain.dropFirst().dropLast() }
    var found: [JarCookie] = []
    while true {
      found += (cookies[String(domain)] ?? []).filter { $0.isSent(to: address, at: now) }
      guard let dot = domain.firstIndex(of: ".") else { return found }
      domain = domain[domain.index(after: dot)...]
    }
  }
}
