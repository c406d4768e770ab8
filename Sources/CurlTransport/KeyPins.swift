import VitrineLoading

extension CurlTransport.Trust {
  /// The keys that a server may have, as libcurl wants them; nil if its host is not pinned.
  ///
  /// Throws where no key could be right. libcurl would take a pin of another form for the name of a file.
  func pins(for origin: WebAddress.Origin) throws(ImageError) -> String? {
    guard let pins = pinnedKeys.first(where: { Self.isSame($0.key, origin.host) })?.value else { return nil }
    guard origin.scheme == "https" else {
      throw .untrustedServer(message: "keys of \(origin.host) are pinned, and over http none is shown")
    }
    guard !pins.isEmpty, pins.allSatisfy(Self.isPin) else {
      throw .untrustedServer(message: "what is pinned for \(origin.host) is no sha256// of a key")
    }
    return pins.joined(separator: ";")
  }

  private static func isSame(_ pinned: String, _ host: String) -> Bool {
    let bare = { (name: String) in name.hasSuffix(".") ? String(name.dropLast()) : name }
    return bare(pinned.lowercased()) == bare(host)
  }

  /// `sha256//` and 32 bytes in base64.
  private static func isPin(_ text: String) -> Bool {
    let digest = text.utf8.dropFirst("sha256//".utf8.count)
    return text.hasPrefix("sha256//") && digest.count == 44 && digest.last == UInt8(ascii: "=")
      && digest.dropLast().allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
      }
  }
}
