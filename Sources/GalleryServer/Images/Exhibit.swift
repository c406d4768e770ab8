/// The resource at a path as served: a body with content type and headers.
struct Exhibit: Equatable {
  var body: Body
  var contentType: String
  var headers: [Header] = []
}

extension Exhibit {
  init(_ resource: Resource) {
    let headers = resource.headers.sorted { $0.key < $1.key }.map { Header($0.key, $0.value) }
    self.init(body: .bytes(resource.body), contentType: resource.contentType, headers: headers)
  }
}

/// The bytes of a response body, in memory or in a file.
enum Body: Equatable {
  case bytes([UInt8])
  case file(OpenFile)

  /// The size in bytes.
  var count: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .file(let file): file.count
    }
  }

  static func == (one: Body, other: Body) -> Bool {
    switch (one, other) {
    case (.bytes(let one), .bytes(let other)): one == other
    case (.file(let one), .file(let other)): one === other
    case (.bytes, .file), (.file, .bytes): false
    }
  }
}
