import Testing

@testable import VitrineLoading

/// The digests of the standards' examples.
@Suite struct SHA256Tests {
  @Test(
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func digestsMatchTheStandard(text: String, expected: String) {
    let digest = SHA256.digest(Array(text.utf8)).map { String($0 + 0, radix: 16) }
      .map { $0.count == 1 ? "0" + $0 : $0 }
    #expect(digest.joined() == expected)
    for count in 50...130 {
      let bytes = [UInt8](repeating: 7, count: count)
      #expect(SHA256.digest(bytes).count == 32 && SHA256.digest(bytes) != SHA256.digest(bytes + [7]))
    }
  }

  @Test func authenticationCodeMatchesRFC4231() {
    // RFC 4231, test case 2.
    let code = SHA256.authenticationCode(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
    #expect(code.prefix(4) == [0x5b, 0xdc, 0xc1, 0x46] && code.suffix(2) == [0x38, 0x43])
  }
}
