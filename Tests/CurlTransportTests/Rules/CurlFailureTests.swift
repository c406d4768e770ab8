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
    let code = Int(CURLE_SSL_CONNECT_ERROR.rawValue)
    #expect(error(CURLE_SSL_CONNECT_ERROR, proxyStatus: 200) == .transport(code: code, message: "text"))

    let broken = Int(CURLE_RECV_ERROR.rawValue)
    #expect(
      error(CURLE_RECV_ERROR, proxyStatus: 200, isConnected: true)
        == .transport(code: broken, message: "text"))
  }

  @Test func successStatusOfTheProxyIsNotReported() {
    #expect(error(CURLE_COULDNT_CONNECT, proxyStatus: 200) == .proxyFailed(status: nil, message: "text"))
  }
}

/// The earliest of many deadlines.
@Suite struct DeadlineWatchTests {
  @Test func watchKeepsTheEarliestDeadline() {
    let start = SuspendingClock.now
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
