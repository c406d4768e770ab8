import CCurl
import VitrineLoading

/// A function that tests use to imitate a libcurl that is older or built without some features. Returns the code with
/// which an option is refused, or nil to let libcurl decide. `number` is the value of a numeric option.
typealias OptionFilter = @Sendable (_ option: CURLoption, _ number: Int?) -> CURLcode?

/// A libcurl easy handle with what must live as long as it does: error text and header list.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>
  private var headerList: UnsafeMutablePointer<curl_slist>?
  /// Outlives the handle.
  private let share: ShareHandle
  private let filter: OptionFilter?
  /// Whether every option is libcurl's default.
  var isReset = true

  /// Nil when there is no memory left. What is shared stays so whatever is reset.
  init?(sharing share: ShareHandle, filter: OptionFilter? = nil) {
    guard let pointer = curl_easy_init() else { return nil }
    self.pointer = pointer
    self.share = share
    self.filter = filter
    // libcurl heeds a jar that is shared only if it has been told of a cookie before, be it none. To name a
    // file that is none, for each transfer, would do as well, and lose a few bytes each time.
    if share.hasCookies { _ = vitrine_curl_set_string(pointer, CURLOPT_COOKIELIST, "") }
    _ = vitrine_curl_set_pointer(pointer, CURLOPT_SHARE, share.pointer)
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_easy_cleanup(pointer)
    curl_slist_free_all(headerList)
    errorText.deallocate()
  }

  /// Forgets every option, among them all pointers into Swift; keeps what is shared.
  func reset() {
    guard !isReset else { return }
    isReset = true
    curl_easy_reset(pointer)
    curl_slist_free_all(headerList)
    headerList = nil
    errorText.pointee = 0
  }

  /// What libcurl said about its last failure.
  var message: String? { errorText.pointee == 0 ? nil : String(cString: errorText) }

  func set(_ option: CURLoption, _ value: Int) throws(ImageError) {
    try check(code(option, value))
  }

  /// libcurl keeps a copy.
  func set(_ option: CURLoption, _ text: String?) throws(ImageError) {
    try check(code(option, text))
  }

  func set(_ option: CURLoption, pointer value: UnsafeMutableRawPointer?) throws(ImageError) {
    try check(filter?(option, nil) ?? vitrine_curl_set_pointer(pointer, option, value))
  }

  func set(_ option: CURLoption, callback: @escaping curl_write_callback) throws(ImageError) {
    try check(filter?(option, nil) ?? vitrine_curl_set_write(pointer, option, callback))
  }

  /// Sets an option that transfers do not depend on. Returns false if libcurl does not have the option, because it is
  /// too old or was built without the feature.
  @discardableResult
  func setIfAvailable(_ option: CURLoption, _ value: Int) throws(ImageError) -> Bool {
    try isAvailable(code(option, value))
  }

  /// Sets a text option that transfers do not depend on. Returns false if libcurl does not have it.
  @discardableResult
  func setIfAvailable(_ option: CURLoption, _ text: String?) throws(ImageError) -> Bool {
    try isAvailable(code(option, text))
  }

  /// Sets a callback that transfers do not depend on. Returns false if libcurl does not have the option.
  func setIfAvailable(
    _ option: CURLoption, callback: @escaping curl_prereq_callback
  ) throws(ImageError) -> Bool {
    try isAvailable(filter?(option, nil) ?? vitrine_curl_set_prereq(pointer, option, callback))
  }

  private func code(_ option: CURLoption, _ value: Int) -> CURLcode {
    filter?(option, value) ?? vitrine_curl_set_long(pointer, option, value)
  }

  private func code(_ option: CURLoption, _ text: String?) -> CURLcode {
    filter?(option, nil) ?? vitrine_curl_set_string(pointer, option, text)
  }

  private func isAvailable(_ code: CURLcode) throws(ImageError) -> Bool {
    switch code {
    case CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN, CURLE_UNSUPPORTED_PROTOCOL: return false
    default:
      try check(code)
      return true
    }
  }

  /// Sends these header lines instead of those set before.
  func setHeaderLines(_ lines: [String]) throws(ImageError) {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines {
      guard let longer = curl_slist_append(list, line) else {
        curl_slist_free_all(list)
        throw .curl(CURLE_OUT_OF_MEMORY)
      }
      list = longer
    }
    curl_slist_free_all(headerList)
    headerList = list
    try check(vitrine_curl_set_list(pointer, CURLOPT_HTTPHEADER, list))
  }

  func setErrorText() throws(ImageError) {
    try set(CURLOPT_ERRORBUFFER, pointer: errorText)
  }

  func count(_ info: CURLINFO) -> Int {
    var value = 0
    return vitrine_curl_get_long(pointer, info, &value) == CURLE_OK ? value : 0
  }

  /// Nil for none and for an empty one.
  func text(_ info: CURLINFO) -> String? {
    var value: UnsafePointer<CChar>?
    guard vitrine_curl_get_string(pointer, info, &value) == CURLE_OK, let value else { return nil }
    return value.pointee == 0 ? nil : String(cString: value)
  }

  /// What the last answer came in; nil without one.
  var httpVersion: String? {
    switch count(CURLINFO_HTTP_VERSION) {
    case Int(CURL_HTTP_VERSION_1_0): "1.0"
    case Int(CURL_HTTP_VERSION_1_1): "1.1"
    case Int(CURL_HTTP_VERSION_2_0): "2"
    default: nil
    }
  }

  /// The cookies of the shared jar, one line each, in the Netscape format.
  var cookieLines: [String] {
    var list: UnsafeMutablePointer<curl_slist>?
    guard vitrine_curl_get_list(pointer, CURLINFO_COOKIELIST, &list) == CURLE_OK else { return [] }
    defer { curl_slist_free_all(list) }
    var lines: [String] = []
    var next = list
    while let line = next {
      if let data = line.pointee.data { lines.append(String(cString: data)) }
      next = line.pointee.next
    }
    return lines
  }

  /// True once a response has come over HTTP/2.
  var speaksHTTP2: Bool { count(CURLINFO_HTTP_VERSION) == Int(CURL_HTTP_VERSION_2_0) }

  /// A time that libcurl counts in microseconds, in seconds.
  func seconds(_ info: CURLINFO) -> Double {
    var value = curl_off_t()
    return vitrine_curl_get_offset(pointer, info, &value) == CURLE_OK ? Double(value) / 1e6 : 0
  }

  private func check(_ code: CURLcode) throws(ImageError) {
    guard code == CURLE_OK else { throw .curl(code, message) }
  }
}
