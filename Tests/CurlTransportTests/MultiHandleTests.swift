import CCurl
import FoundationEssentials
import Glibc
import Testing
import VitrineConcurrency
import VitrineLoading

@testable import VitrineCurlTransport

@Suite("A multi handle and the timers of libcurl", .timeLimit(.minutes(5)))
struct MultiHandleTests {
  /// Returns an easy handle that is prepared for a request.
  private func handle(_ url: String, connectLimit: Double) throws -> EasyHandle {
    let easy = try #require(EasyHandle(sharing: ShareHandle([])))
    let request = TransportRequest(url: try #require(URL(string: url)))
    _ = try easy.prepare(for: Hop(request), connectLimit: connectLimit, settings: TransferSettings())
    return easy
  }

  @Test("The time limit for connecting is checked without a timer of libcurl")
  func connectionThatIsNotMadeInTimeFailsWhenItIsChecked() throws {
    // The kernel accepts connections, and the TLS handshake is never answered.
    let mute = try #require(Loopback.bind())
    #expect(listen(mute.socket, 8) == 0)
    defer { close(mute.socket) }
    let multi = try #require(MultiHandle())
    let easy = try handle("https://127.0.0.1:\(mute.port)/", connectLimit: 0.05)
    #expect(curl_multi_add_handle(multi.pointer, easy.pointer) == CURLM_OK)
    defer { curl_multi_remove_handle(multi.pointer, easy.pointer) }
    // Begins to connect.
    #expect(try multi.wait(for: #require(WakeupPipe()), until: .now) == CURLM_OK)

    var message: UnsafeMutablePointer<CURLMsg>?
    var remainingCount: Int32 = 0
    let deadline = TransferInstant.now + .seconds(60)
    repeat {
      #expect(multi.checkLimits() == CURLM_OK)
      message = curl_multi_info_read(multi.pointer, &remainingCount)
    } while message == nil && TransferInstant.now < deadline

    #expect(message?.pointee.data.result == CURLE_OPERATION_TIMEDOUT)
  }

  @Test("Commands come before the timer of libcurl, which is then handled at once")
  func commandsBeforeTimer() throws {
    let multi = try #require(MultiHandle())
    let easy = try handle("http://127.0.0.1:1/", connectLimit: 1)
    // Sets a timer that is due at once.
    #expect(curl_multi_add_handle(multi.pointer, easy.pointer) == CURLM_OK)
    defer { curl_multi_remove_handle(multi.pointer, easy.pointer) }
    let wakeup = try #require(WakeupPipe())

    #expect(multi.wait(for: wakeup, until: .now) { true } == CURLM_OK)
    #expect(!multi.hasActed)

    #expect(multi.actOnTimer() == CURLM_OK)
    #expect(multi.hasActed)
  }
}
