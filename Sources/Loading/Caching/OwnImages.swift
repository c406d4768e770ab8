import FoundationEssentials
import VitrineGraphics

// Support for images that the application itself stores on disk, beside the responses of servers.

extension StoredResponse {
  /// Creates a response from an encoded image of the application. The response stays fresh for a year.
  init(ownImage body: [UInt8], for url: URL, userData: [String: [UInt8]], at now: Double) {
    self.init(
      response: TransportResponse(
        url: url.withoutLogin, status: 200, headers: ["Cache-Control": "max-age=31536000"],
        expectedLength: body.count),
      body: body, requested: now, received: now)
    self.userData = userData
  }

  /// The application's own data, stored as a header field that servers cannot set.
  var userData: [String: [UInt8]] {
    get { response.headers.userData }
    set {
      var headers = response.headers
      headers.userData = newValue
      response = TransportResponse(
        url: response.url, status: response.status, headers: headers, expectedLength: response.expectedLength)
    }
  }
}

extension HTTPHeaders {
  /// The name of the field that holds user data. A field of this name is removed from the headers that servers send.
  static let userDataName = "Vitrine-User-Data"

  /// The user data, one field per value: the name in hexadecimal digits, a colon, and the value in base64.
  var userData: [String: [UInt8]] {
    get {
      var values: [String: [UInt8]] = [:]
      for field in fields where Self.isSame(field.name, Self.userDataName) {
        let parts = field.value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = [UInt8](hexadecimal: parts[0]),
          let value = Data(base64Encoded: String(parts[1]))
        else { continue }
        values[String(decoding: name, as: UTF8.self)] = Array(value)
      }
      return values
    }
    set {
      self[Self.userDataName] = nil
      for (name, value) in newValue.sorted(by: { $0.key < $1.key }) {
        let text = "\(name.utf8.hexadecimal):\(Data(value).base64EncodedString())"
        append(name: Self.userDataName, value: text)
      }
    }
  }
}

extension ImageResponse {
  /// The application's own data stored with the image, see `ImageCache`; empty if there are none.
  public var userData: [String: [UInt8]] {
    image.userData.isEmpty && source == .disk ? http?.headers.userData ?? [:] : image.userData
  }

  func replacingImage(with image: Image) -> ImageResponse {
    var response = ImageResponse(
      image: image, source: source, http: http, metrics: metrics, freshness: freshness, data: data)
    response.storing = storing
    return response
  }
}

extension ImageRequest {
  /// Returns the identity of the entry on disk: the identity of the response, or a separate identity for a request with
  /// an additional identifier or transforms. `nil` for a malformed URL.
  ///
  /// The URL of a separate identity has a scheme that no transport serves: the additional identifier or the transforms
  /// in hexadecimal digits, followed by the scheme of the request.
  func storedIdentity(_ additionalIdentifier: String?) -> RequestIdentity? {
    let response = identity.withoutVarying
    let kind: String
    if let additionalIdentifier {
      kind = "i" + additionalIdentifier.utf8.hexadecimal
    } else if !transforms.isEmpty {
      kind = "t" + transforms.map { $0.identifier.utf8.hexadecimal }.joined(separator: ".")
    } else {
      return response
    }
    guard let key = URL(string: "vitrine-\(kind)+\(response.url)") else { return nil }
    return RequestIdentity(url: url, headers: headers, key: key)
  }
}
