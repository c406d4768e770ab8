import Testing
import VitrineGraphics

@testable import VitrineLoading

/// The classification of errors: a row for each kind of error, with all of its traits.
@Suite struct ErrorTraitsTests {
  private static let server: ErrorTraits = [.retryable, .permitsStale]
  private static let unusable: ErrorTraits = [.permanent, .permitsStale, .recoversWithResponse]

  private static let rows = others + refusals + statuses.map { (ImageError.status($0.0), $0.1) }

  private static let others: [(ImageError, ErrorTraits)] = [
    (.cancelled, []),
    (.invalidURL("a"), []),
    (.unsupportedScheme("ftp"), []),
    (.transport(.cannotResolveHost, message: ""), server),
    (.transport(.cannotConnect, message: ""), server),
    (.transport(.secureConnectionFailed, message: ""), server),
    (.transport(.connectionLost, message: ""), server),
    (.transport(.truncatedBody, message: ""), server),
    (.transport(.malformedResponse, message: ""), server),
    (.transport(.unexpectedEncoding, message: ""), [.permitsStale, .recoversWithResponse]),
    (.transport(.unsupported, message: ""), [.permitsStale, .recoversWithResponse]),
    (.transport(.invalidRequest, message: ""), .permitsStale),
    (.transport(.outOfResources, message: ""), server),
    (.transport(.aborted, message: ""), .permitsStale),
    (.transport(.other, message: ""), server),
    (.timedOut(.connect(seconds: 1)), server),
    (.timedOut(.stall(seconds: 1)), server),
    (.timedOut(.total(seconds: 1)), server),
    (.proxyFailed(status: nil, message: ""), server),
    (.proxyFailed(status: 407, message: ""), .permitsStale),
    (.proxyFailed(status: 500, message: ""), .permitsStale),
    (.proxyFailed(status: 502, message: ""), server),
    (.proxyFailed(status: 503, message: ""), server),
    (.proxyFailed(status: 504, message: ""), server),
    (.contentType("text/html"), unusable),
    (.requestRefused(""), []),
    (.responseRefused(""), []),
    (.redirectRefused(.tooMany(limit: 5)), unusable),
    (.redirectRefused(.downgrade), unusable),
    (.redirectRefused(.scheme("file")), unusable),
    (.redirectRefused(.badLocation("")), unusable),
    (.redirectRefused(.byRule(to: "")), unusable),
    (.unreadableFile(path: "", message: ""), []),
    (.emptyBody, unusable.union(.damage)),
    (.notAnImage(signature: []), unusable.union(.damage)),
    (.notAnImage(signature: Array("\u{FEFF}\r\n\t<html>".utf8)), unusable.union(.damage)),
    (.notAnImage(signature: [0, 0, 0, 0x20, 0x66, 0x74, 0x79, 0x70]), [.permanent, .permitsStale, .damage]),
    (.decoding(.jpeg, message: ""), [.permanent, .permitsStale, .damage]),
    (.invalidData(""), [.permitsStale, .damage]),
    (.encoding(.png, message: ""), []),
    (.tooLarge(.body(bytes: 1)), []),
    (.tooLarge(.pixels(1)), []),
    (.tooLarge(.side(1)), []),
    (.tooLarge(.samples(1)), []),
    (.tooLarge(.memory(needed: 2, allowed: 1)), []),
    (.tooLarge(.memory(needed: 1, allowed: 1)), .recoversWithMemory),
    (.transform(identifier: "", message: ""), []),
    (.notCached, []),
    (.offline, [.retryable, .permitsStale, .recoversOnline]),
    (.notConfigured, []),
    (.shutDown, []),
  ]

  private static let refusals: [(ImageError, ErrorTraits)] = TrustFailure.allCases.map { cause in
    let recovers = cause == .expired || cause == .notYetValid
    return (
      .untrustedServer(host: "", cause: cause, message: ""),
      [.permitsStale, recovers ? .recoversWithClock : .recoversWithResponse]
    )
  }

  private static let statuses: [(Int, ErrorTraits)] = [
    (0, .permitsStale), (204, .permitsStale), (304, .permitsStale), (399, .permitsStale),
    (400, .permanent), (401, .permanent), (402, .permanent),
    (403, .permanent), (404, [.permanent, .endsStorage]), (405, .permanent),
    (407, [.permanent, .permitsStale]), (408, server), (409, .permanent),
    (410, [.permanent, .endsStorage]), (425, server), (429, server),
    (451, [.permanent, .endsStorage]), (499, .permanent), (500, server), (501, .permitsStale),
    (502, server), (503, server), (504, server), (505, .permitsStale), (506, .permitsStale), (507, server),
    (508, .permitsStale), (510, .permitsStale), (511, server), (520, server), (523, server), (530, server),
    (599, server), (600, .permitsStale),
  ]

  @Test(arguments: rows)
  func errorHasItsTraits(error: ImageError, traits: ErrorTraits) {
    #expect(error.traits == traits)
    #expect(error.isRetryable == traits.contains(.retryable))
    #expect(error.suggestsWrongClock == traits.contains(.recoversWithClock))
    let cause: RecoveryCause? =
      if traits.contains(.recoversOnline) {
        .offline
      } else if traits.contains(.retryable) {
        .server
      } else if traits.contains(.recoversWithClock) {
        .clock
      } else if traits.contains(.recoversWithMemory) {
        .memory
      } else if traits.contains(.recoversWithResponse) {
        .response
      } else {
        nil
      }
    #expect(RecoveryCause(error) == cause)
  }

  @Test func tableHasARowForEachCase() {
    #expect(Set(Self.rows.map { Self.position(of: $0.0) }) == Set(0..<24))
  }

  @Test func noErrorIsBothRetryableAndPermanent() {
    #expect(!Self.rows.contains { $0.1.isSuperset(of: [.retryable, .permanent]) })
  }

  /// Returns the position of the error's case in the declaration of `ImageError`. A new case needs a row above.
  private static func position(of error: ImageError) -> Int {
    switch error {
    case .cancelledLoad: 0
    case .invalidURL: 1
    case .unsupportedScheme: 2
    case .transport: 3
    case .timedOut: 4
    case .untrustedServer: 5
    case .proxyFailed: 6
    case .status: 7
    case .contentType: 8
    case .requestRefused: 9
    case .responseRefused: 10
    case .redirectRefused: 11
    case .unreadableFile: 12
    case .emptyBody: 13
    case .notAnImage: 14
    case .decoding: 15
    case .invalidData: 16
    case .encoding: 17
    case .tooLarge: 18
    case .transform: 19
    case .notCached: 20
    case .notConfigured: 21
    case .shutDown: 22
    case .offline: 23
    }
  }
}
