import FoundationEssentials

@testable import VitrineLoading

/// Evaluates a stored response with the fuzzed headers under any clock and rules, and merges it with a 304.
enum StoredResponses {
  private static let url = URL(string: "http://a.test/b")

  static func fuzz(_ bytes: [UInt8]) -> Bool {
    guard let url else { return false }
    var input = FuzzedInput(bytes)
    let (now, requested, received) = (input.double(), input.double(), input.double())
    var rules = FreshnessRules()
    rules.defaultLifetime = input.double()
    rules.maximumHeuristicLifetime = input.double()
    rules.minimumLifetime = input.double()
    rules.staleWhileRevalidating = input.double()
    rules.staleOnError = input.double()
    let headers = input.headers
    let middle = headers.fields.count / 2
    let stored = StoredResponse(
      response: TransportResponse(
        url: url, status: 200, headers: HTTPHeaders(Array(headers.fields[..<middle]))),
      body: [], requested: requested, received: received)
    let unchanged = TransportResponse(
      url: url, status: 304, headers: HTTPHeaders(Array(headers.fields[middle...])),
      expectedLength: input.int())
    let merged = stored.merging(unchanged, sent: headers, requested: received, received: now)
    for response in [stored, merged].compactMap({ $0 }) {
      for clock in [now, requested, received, 1_800_000_000] {
        for isRedirected in [false, true] {
          check(response.standing(at: clock, rules: rules, isRedirected: isRedirected))
          check(response.standing(at: clock, isRedirected: isRedirected))
        }
      }
      _ = StoredResponse.mayBeStored(response.response, sent: headers)
      _ = response.matches(headers)
      _ = response.validators
    }
    return true
  }

  private static func check(_ standing: StoredResponse.Standing) {
    guard case .stale(let age, _, _) = standing else { return }
    precondition(age >= 0 && age.isFinite, "an age")
  }
}
