import Testing
import VitrineLoading

@Suite("The description of an error names the cause in one line")
struct ImageErrorTests {
  @Test(arguments: [
    (ImageError.timedOut(.connect(seconds: 10)), "not connected within 10.0 s"),
    (.timedOut(.stall(seconds: 0.5)), "no bytes received for 0.5 s"),
    (.timedOut(.total(seconds: 60)), "not complete within 60.0 s"),
    (
      .untrustedServer(host: "a.example", cause: .notYetValid, message: "certificate is not yet valid"),
      "a.example is not trusted: its certificate is not valid yet: the clock of this machine may be wrong"
        + " (certificate is not yet valid)"
    ),
    (
      .untrustedServer(host: "a.example", cause: .wrongHost, message: ""),
      "a.example is not trusted: its certificate belongs to another host"
    ),
    (.proxyFailed(status: 407, message: "response 407"), "the proxy failed: response 407"),
    (
      .redirectRefused(.byRule(to: "http://a.example/")),
      "a redirect that the rule refuses: http://a.example/"
    ),
    (.transport(.cannotConnect, message: "Couldn't connect (curl 7)"), "Couldn't connect (curl 7)"),
    (.offline, "offline"),
  ])
  func errorDescriptionNamesTheCause(error: ImageError, text: String) {
    #expect("\(error)" == text)
  }
}
