import Testing
import VitrineGraphics

struct URLSecretsTests {
  @Test(arguments: [
    ("http://user:hidden@h.test/a.jpg", "http://h.test/a.jpg"),
    ("https://hidden@h.test", "https://h.test"),
    ("//user:hidden@h.test/a", "//h.test/a"),
    ("http://user:hid@hidden@h.test/a", "http://h.test/a"),
    ("http://user:hid/hidden@h.test/a", "http://h.test/a"),
    ("http://user:hid?hidden@h.test/a", "http://h.test/a"),
    ("http:/user:hidden@h.test/a", "h.test/a"),
    ("user:hidden@h.test/a", "h.test/a"),
    ("http://h.test/a@2x.png", "http://h.test/a@2x.png"),
    ("http://h.test:8080/a@2x.png?b=c:d@e", "http://h.test:8080/a@2x.png?b=c:d@e"),
    ("h.test/a@2x.png", "h.test/a@2x.png"),
    ("data:image/png;base64,AA@=", "data:image/png;base64,AA@="),
    ("http://h.test/?row=12&size=big", "http://h.test/?row=12&size=big"),
    ("http://h.test/a?X-Amz-Signature=hidden&w=3#top", "http://h.test/a?X-Amz-Signature=…&w=3#top"),
    ("http://h.test/a?sig=hidden", "http://h.test/a?sig=…"),
    ("http://h.test/a?ACCESS_TOKEN=hidden&b", "http://h.test/a?ACCESS_TOKEN=…&b"),
    ("http://h.test/a?v=0123456789012345678901234567890123456789", "http://h.test/a?v=…"),
    ("http://h.test/a?w=3;token=hidden;x=1", "http://h.test/a?w=3;token=…;x=1"),
    ("http://h.test/a?%74oken=hidden&Sid=hidden", "http://h.test/a?%74oken=…&Sid=…"),
    ("http://h.test/a?to=http%3A%2F%2Fb.test%2F%3Fa%3Dhidden", "http://h.test/a?to=…"),
    ("http://h.test/a?x=aGlkZGVu==", "http://h.test/a?x=…"),
    ("http://h.test/a#access_token=hidden&w=3", "http://h.test/a#access_token=…&w=3"),
    ("http://h.test/a?w=3#part", "http://h.test/a?w=3#part"),
    ("http://h.test/a?%zz&%=1&=2&&;", "http://h.test/a?%zz&%=1&=2&&;"),
    ("http://h.test/a?w=3&x=hid…", "http://h.test/a?w=3&x=…"),
    ("http://h.test/a?w=3&hid…", "http://h.test/a?w=3&…"),
    ("two\nlines\u{1B}[0m", "two lines [0m"), ("", ""), ("c1\u{9B}31m\u{7F}é", "c1 31m é"),
  ])
  func textIsShownWithoutSecrets(text: String, shown: String) {
    #expect(text.withoutSecrets == shown)
  }

  @Test func longTextIsTruncated() {
    let text = "http://h.test/" + String(repeating: "a", count: 200)

    #expect(text.withoutSecrets.count == 101)
    #expect(text.withoutSecrets.hasSuffix("…"))
  }

  @Test func traceURLsContainNoCredentials() {
    #expect(Trace.shortened("http://user:hidden@h.test/a") == "http://h.test/a")
  }

  @Test(
    arguments: [
      ("https://u:p@h/a@b", "https://h/a@b", "u:p"), ("//u:p@h/a", "//h/a", "u:p"),
      ("http://h/a@b", "http://h/a@b", nil),
      ("http://a@b@[::1]:8/", "http://[::1]:8/", "a@b"), ("data:,a@b", "data:,a@b", nil), ("", "", nil),
    ] as [(String, String, String?)])
  func loginIsSeparatedFromTheURL(text: String, url: String, login: String?) {
    #expect(text.separatingLogin.url == url)
    #expect(text.separatingLogin.login == login)
  }
}
