import CCurl

/// A handle of libcurl's URL parser.
struct URLParts: ~Copyable {
  let handle: OpaquePointer

  init?() {
    guard let handle = curl_url() else { return nil }
    self.handle = handle
  }

  deinit { curl_url_cleanup(handle) }

  /// Sets a part of the URL, or removes the part if `text` is `nil`. Returns false if the text is not valid for that
  /// part. Accepts any scheme; callers decide which schemes may be followed.
  func set(_ part: CURLUPart, _ text: String?, _ flags: Int32 = 0) -> Bool {
    guard text?.utf8.contains(0) != true else { return false }
    return curl_url_set(handle, part, text, UInt32(CURLU_NON_SUPPORT_SCHEME | flags)) == CURLUE_OK
  }

  func get(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let code = curl_url_get(handle, part, &text, UInt32(flags))
    guard let text else { return nil }
    // libcurl 7.88 sets `text` even if it fails to convert the host; the text must be freed.
    guard code == CURLUE_OK || flags == CURLU_PUNYCODE else { return nil }
    defer { curl_free(text) }
    return code == CURLUE_OK ? String(cString: text) : nil
  }

  /// The host in ASCII, the form in name servers and certificates (RFC 5890); `nil` if there is no host or no ASCII
  /// form.
  var asciiHost: String? {
    guard let host = get(CURLUPART_HOST) else { return nil }
    guard !host.utf8.allSatisfy({ $0 < 0x80 }) else { return host }
    // libidn2 reads the host in the encoding of the thread's locale.
    let converted = UTF8Locale.use { get(CURLUPART_HOST, CURLU_PUNYCODE) }
    // libcurl before 7.88 does not know the flag, and libcurl without libidn2 does not convert.
    return converted.flatMap { $0.utf8.allSatisfy { $0 < 0x80 } ? $0 : nil }
  }

  var origin: WebAddress.Origin? {
    guard let scheme = get(CURLUPART_SCHEME), let host = asciiHost ?? get(CURLUPART_HOST) else { return nil }
    let port = get(CURLUPART_PORT, CURLU_DEFAULT_PORT) ?? ""
    return WebAddress.Origin(scheme: scheme.lowercased(), host: host.lowercased(), port: port)
  }
}
