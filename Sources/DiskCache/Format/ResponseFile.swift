import FoundationEssentials
import VitrineLoading

/// The format of a file that holds one response, with hashes that reveal any damage:
///
///     8   magic bytes with the version of the format, `vitrine2`
///     16  hash of everything from here to the body
///     4   length of the head
///     8   length of the body
///     16  hash of the body
///         the head: key, status, URL, headers and times
///         the body
///         notes: newer heads of the same body, each preceded by its hash and its length
///
/// A 304 response appends a note, so that the body is not written again. The last intact note counts. Bytes after the
/// last intact note are an incomplete write and are ignored.
///
/// Numbers are little-endian. A change of the format changes the magic bytes; a file with other magic bytes counts as
/// damaged.
///
/// The head contains no secrets. The key is a digest, URLs are stored only without secrets (`ListedURL`, and the URL
/// that a redirect has led to), only headers that cannot hold secrets are stored (`KeptHeaders`), and headers named by
/// `Vary` are stored as digests.
enum ResponseFile {
  static let magic = Array("vitrine2".utf8)
  /// The number of bytes before the head.
  static let fixedLength = 52
  /// The maximum length of a head in bytes. A response with a longer head is not stored.
  static let maximumHeadBytes = 256 << 10
  /// The maximum length of a body in bytes. Longer bodies are neither stored nor read.
  static let maximumBodyBytes = 512 << 20

  /// Returns the bytes of a file before the body of `response`; nil if the head is longer than `maximumHeadBytes`.
  static func start(
    _ response: StoredResponse, key: DiskKey, requestURL: URL, varying: [HTTPHeaders.Field],
    listed: [HTTPHeaders.Field] = []
  ) -> [UInt8]? {
    start(
      response, bodyLength: response.body.count, bodyHash: ContentHash(response.body), key: key,
      requestURL: requestURL, varying: varying, listed: listed)
  }

  /// Returns the bytes of a file before a body; nil if the head is longer than `maximumHeadBytes`.
  ///
  /// - Parameters:
  ///   - response: The response, whose own body is ignored.
  ///   - requestURL: The URL of the request, which is not written.
  ///   - varying: The digests of `response.varying`.
  ///   - listed: The URL of the request for listings, as returned by `ListedURL.fields(of:)`.
  static func start(
    _ response: StoredResponse, bodyLength: Int, bodyHash: ContentHash, key: DiskKey, requestURL: URL,
    varying: [HTTPHeaders.Field], listed: [HTTPHeaders.Field] = []
  ) -> [UInt8]? {
    let head = head(response, key, requestURL, varying, listed)
    guard head.count <= maximumHeadBytes else { return nil }
    var content = ByteWriter()
    content.append(UInt32(head.count))
    content.append(UInt64(bodyLength))
    content.append(bodyHash)
    content.append(raw: head)
    var start = ByteWriter()
    start.append(raw: magic)
    start.append(ContentHash(content.bytes))
    start.append(raw: content.bytes)
    return start.bytes
  }

  private static func head(
    _ response: StoredResponse, _ key: DiskKey, _ requestURL: URL, _ varying: [HTTPHeaders.Field],
    _ listed: [HTTPHeaders.Field]
  ) -> [UInt8] {
    var head = ByteWriter()
    head.append(key.bytes)
    head.append(Int32(clamping: response.response.status ?? -1))
    let url = response.response.url.withoutLogin
    head.append(url.isSameResource(as: requestURL) ? "" : url.withoutSecrets.absoluteString)
    head.append(Int64(response.response.expectedLength ?? -1))
    head.append(milliseconds(response.requested))
    head.append(milliseconds(response.received))
    for fields in [KeptHeaders.of(response.response.headers) + listed, varying] {
      head.append(UInt32(clamping: fields.count))
      for field in fields {
        head.append(field.name)
        head.append(field.value)
      }
    }
    return head.bytes
  }

  /// The fixed-length part at the start of a file.
  struct Frame: Equatable {
    let headLength: Int
    let bodyLength: Int
    let bodyHash: ContentHash
    private let startHash: ContentHash

    /// Parses the first bytes of a file; nil if the bytes are not the start of a file of `fileLength` bytes.
    init?(_ bytes: [UInt8], fileLength: Int) {
      var reader = ByteReader(bytes[...])
      guard reader.bytes(magic.count) == magic[...], let startHash = reader.hash(),
        let headLength = reader.number(UInt32.self).flatMap({ Int(exactly: $0) }),
        let bodyLength = reader.number(UInt64.self).flatMap({ Int(exactly: $0) }),
        let bodyHash = reader.hash(),
        headLength <= maximumHeadBytes, bodyLength <= fileLength - fixedLength - headLength
      else { return nil }
      (self.headLength, self.bodyLength, self.bodyHash, self.startHash) =
        (headLength, bodyLength, bodyHash, startHash)
    }

    /// The number of bytes before the body.
    var startLength: Int { fixedLength + headLength }
    /// The number of bytes before the notes.
    var endOfBody: Int { startLength + bodyLength }

    /// Returns true if the bytes before the body are undamaged.
    func isIntact(_ start: ArraySlice<UInt8>) -> Bool {
      start.count == startLength
        && start.withUnsafeBytes { ContentHash(UnsafeRawBufferPointer(rebasing: $0[24...])) } == startHash
    }
  }

  // MARK: Notes

  /// The maximum number of bytes of notes in a file. When the notes would become longer, the whole file is written
  /// again.
  static let maximumNotesBytes = 16 << 10

  /// Returns a note that makes the head of `start` the current head.
  static func note(_ start: [UInt8]) -> [UInt8] {
    let head = start.dropFirst(fixedLength)
    var payload = ByteWriter()
    payload.append(Array(head))
    var note = ByteWriter()
    note.append(ContentHash(payload.bytes))
    note.append(raw: payload.bytes)
    return note.bytes
  }

  /// Returns the head of the last intact note, and true if all notes are intact.
  static func lastHead(_ notes: ArraySlice<UInt8>) -> (head: ArraySlice<UInt8>?, isIntact: Bool) {
    var reader = ByteReader(notes)
    var last: ArraySlice<UInt8>?
    while !reader.isAtEnd {
      guard let hash = reader.hash(), let head = reader.lengthPrefixedBytes() else { return (last, false) }
      let payload = notes[(head.startIndex - 4)..<head.endIndex]
      guard payload.withUnsafeBytes({ ContentHash($0) }) == hash else { return (last, false) }
      last = head
    }
    return (last, true)
  }

  // MARK: Heads

  /// Parses an intact head. Returns the key, the response without the body, and the URL for listings if one was
  /// recorded; nil if the head is malformed.
  ///
  /// - Parameter requestURL: The URL of the request, used for a response that came from this URL.
  static func read(
    _ head: ArraySlice<UInt8>, requestURL: URL
  ) -> (key: ArraySlice<UInt8>, response: StoredResponse, listedURL: String?)? {
    var reader = ByteReader(head)
    guard let key = reader.lengthPrefixedBytes(), let status = reader.number(Int32.self),
      let text = reader.text(), let url = text.isEmpty ? requestURL.withoutLogin : URL(string: text),
      let length = reader.number(Int64.self),
      let requested = reader.number(Int64.self), let received = reader.number(Int64.self),
      var headers = fields(&reader), let varying = fields(&reader), reader.isAtEnd
    else { return nil }
    let listedURL = ListedURL.remove(from: &headers)
    let response = TransportResponse(
      url: url, status: status < 0 ? nil : Int(status), headers: HTTPHeaders(headers),
      expectedLength: length < 0 ? nil : Int(clamping: length))
    return (
      key,
      StoredResponse(
        response: response, body: [], varying: varying, requested: seconds(requested),
        received: seconds(received)),
      listedURL
    )
  }

  private static func fields(_ reader: inout ByteReader) -> [HTTPHeaders.Field]? {
    guard let count = reader.number(UInt32.self) else { return nil }
    var fields: [HTTPHeaders.Field] = []
    // The number may be damaged, and must not reserve much memory.
    fields.reserveCapacity(Int(min(count, 32)))
    for _ in 0..<count {
      guard let name = reader.text(), let value = reader.text() else { return nil }
      fields.append(HTTPHeaders.Field(name: name, value: value))
    }
    return fields
  }

  // MARK: Times

  /// Converts seconds to milliseconds. NaN becomes a time in the far future, so that the age of the response is
  /// unknown.
  private static func milliseconds(_ seconds: Double) -> Int64 {
    let scaled = (seconds * 1000).rounded()
    return scaled.isNaN || scaled >= 0x1p62 ? 1 << 62 : scaled <= -0x1p62 ? -(1 << 62) : Int64(scaled)
  }

  private static func seconds(_ milliseconds: Int64) -> Double { Double(milliseconds) / 1000 }
}
