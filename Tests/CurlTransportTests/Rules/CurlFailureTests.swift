import CCurl
import Testing
import VitrineLoading

@testable import VitrineCurlTransport

/// The mapping of libcurl's failures to errors.
@Suite struct CurlFailureTests {
  private func error(_ code: CURLcode, proxyStatus: Int = 0, isConnected: Bool = false) -> ImageError {
    var failure = CurlFailure(code: code)
    failure.message = "text"
    failure.isProxied = true
    failure.proxyStatus = proxyStatus
    failure.isConnected = isConnected
    return failure.error
  }

  @Test func refusalByTheProxyIsAProxyFailure() {
    #expect(error(CURLE_RECV_ERROR, proxyStatus: 502) == .proxyFailed(status: 502, message: "text"))
    #expect(error(CURLE_SSL_CONNECT_ERROR, proxyStatus: 407) == .proxyFailed(status: 407, message: "text"))
    #expect(error(CURLE_COULDNT_CONNECT) == .proxyFailed(status: nil, message: "text"))
  }

  @Test func failureBehindAConnectedProxyIsNotAProxyFailure() {
    #expect(
      error(CURLE_SSL_CONNECT_ERROR, proxyStatus: 200)
        == .transport(.secureConnectionFailed, message: "text (curl 35)"))
    #expect(
      error(CURLE_RECV_ERROR, proxyStatus: 200, isConnected: true)
        == .transport(.connectionLost, message: "text (curl 56)"))
  }

  @Test func successStatusOfTheProxyIsNotReported() {
    #expect(error(CURLE_COULDNT_CONNECT, proxyStatus: 200) == .proxyFailed(status: nil, message: "text"))
  }
}

/// The kinds of libcurl's codes. Codes that are not listed are `.other`.
@Suite struct TransportFailureTests {
  private static let kinds: [UInt32: TransportFailure] = [
    1: .unsupported, 3: .invalidRequest, 4: .unsupported, 6: .cannotResolveHost, 7: .cannotConnect,
    8: .malformedResponse, 16: .connectionLost, 18: .truncatedBody, 23: .aborted, 27: .outOfResources,
    35: .secureConnectionFailed, 43: .invalidRequest, 48: .unsupported, 52: .connectionLost,
    53: .secureConnectionFailed, 54: .secureConnectionFailed, 55: .connectionLost, 56: .connectionLost,
    58: .secureConnectionFailed, 59: .secureConnectionFailed, 61: .unexpectedEncoding,
    66: .secureConnectionFailed, 92: .connectionLost, 98: .secureConnectionFailed,
  ]

  @Test(arguments: 1...UInt32(99))
  func curlCodeIsMappedToATransportFailure(code: UInt32) {
    #expect(TransportFailure(CURLcode(rawValue: code)) == Self.kinds[code] ?? .other)
  }

  @Test func messageContainsTheCurlCode() {
    #expect(
      ImageError.curl(CURLE_COULDNT_CONNECT, "refused")
        == .transport(.cannotConnect, message: "refused (curl 7)"))
  }
}

/// The earliest of many deadlines.
@Suite struct DeadlineWatchTests {
  @Test func watchKeepsTheEarliestDeadline() {
    let start = TransferInstant.now
    let watch = DeadlineWatch()
    #expect(watch.earliest == nil)

    watch.note(start + .seconds(5))
    watch.note(start + .seconds(9))
    watch.note(nil)
    #expect(watch.earliest == start + .seconds(5))

    watch.note(start + .seconds(2))
    #expect(watch.earliest == start + .seconds(2))

    watch.renew([start + .seconds(7), start + .seconds(4)])
    #expect(watch.earliest == start + .seconds(4))
    watch.renew([])
    #expect(watch.earliest == nil)
  }
}
