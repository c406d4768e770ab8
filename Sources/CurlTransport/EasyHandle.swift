import CCurl
import VitrineLoading

/// A function by which tests imitate a libcurl that is older or built without some features. Returns the code with
/// which an option is refused, or `nil` to let libcurl decide. `number` is the value of a numeric option.
typealias OptionFilter = @Sendable (_ option: CURLoption, _ number: Int?) -> CURLcode?

/// A libcurl easy handle, with the error text and header list that must live as long as the handle.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>
  private var headerList: UnsafeMutablePointer<curl_slist>?
  /// The URL of the next transfer; see `setURL`.
  private let urlParts: URLParts
  /// The origin of the URL in `urlParts`; `nil` if they have no valid URL.
  private var partsOrigin: WebAddress.Origin?
  /// Retained because the share must outlive the handle.
  private let share: ShareHandle
  private let filter: OptionFilter?
  /// True if every option except the share and the size of the buffer has libcurl's default value.
  var isReset = true
  /// False if libcurl reads in small parts, so that the handle should not serve further transfers.
  ///
  /// libcurl 7.88 keeps the buffer of a transfer over a shared connection, and refuses another size as long as it does.
  /// After a reset, such a handle reads at most 16 KiB at once, which doubles the processor time over HTTP/2.
  private(set) var isReusable = true
  private static let bufferSize = 64 << 10
  /// The requests that the options are right for, apart from the URL and the receiver; `nil` after a reset, and if the
  /// options must not be kept.
  var family: RequestFamily?
  /// True while libcurl still reports the figures of an earlier transfer: the handle was not reset after that transfer,
  /// and libcurl has not begun the next one. Swift does not check this property for overlapping accesses, because
  /// the checks are slow. No access overlaps another, because no function is called during an access.
  @exclusivity(unchecked) var isReportOutdated = false
  /// Header fields of the last responses, which the next one may repeat.
  let recentFields = RecentFields()

  /// Returns `nil` if memory is exhausted. The handle keeps using `share` after a reset.
  init?(sharing share: ShareHandle, filter: OptionFilter? = nil) {
    guard let urlParts = URLParts(), let pointer = curl_easy_init() else { return nil }
    self.urlParts = urlParts
    self.pointer = pointer
    self.share = share
    self.filter = filter
    // libcurl uses a shared jar only if cookies have been enabled on the handle, which setting an empty cookie does.
    // Naming a cookie file that does not exist would also work, but must be repeated for each transfer and leaks a few
    // bytes each time.
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

  /// Resets every option, including all pointers into Swift. Keeps the share.
  func reset() {
    guard !isReset else { return }
    isReset = true
    family = nil
    isReportOutdated = false
    curl_easy_reset(pointer)
    curl_slist_free_all(headerList)
    headerList = nil
    errorText.pointee = 0
  }

  /// Sets the number of bytes that libcurl reads at once.
  func setBufferSize() {
    if code(CURLOPT_BUFFERSIZE, Self.bufferSize) == CURLE_BAD_FUNCTION_ARGUMENT { isReusable = false }
  }

  /// Prepares the handle for another transfer, and clears all pointers into Swift.
  ///
  /// - Parameter keepsOptions: True after a success. The options are then kept if `family` allows it.
  func endTransfer(keepsOptions: Bool) {
    guard keepsOptions, family != nil else {
      reset()
      return setBufferSize()
    }
    for option in [CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_PREREQDATA] {
      _ = vitrine_curl_set_pointer(pointer, option, nil)
    }
  }

  /// Prepares the handle for another request of `family`, for which only the URL and the receiver are to be set. Returns
  /// false if all options must be set again.
  func keepOptions() -> Bool {
    guard filter == nil else { return false }
    errorText.pointee = 0
    isReportOutdated = true
    return true
  }

  /// libcurl's message about the last failure; `nil` if there is none.
  var message: String? { errorText.pointee == 0 ? nil : String(cString: errorText) }

  func set(_ option: CURLoption, _ value: Int) throws(ImageError) { try check(code(option, value)) }

  /// Sets a text option. libcurl keeps a copy of the text.
  func set(_ option: CURLoption, _ text: String?) throws(ImageError) { try check(code(option, text)) }

  /// Sets the URL. A plain URL is also set as parsed parts, because libcurl 7.88 otherwise parses the text and composes it
  /// from its parts for each transfer, which took a tenth of libcurl's time.
  func setURL(_ address: WebAddress) throws(ImageError) {
    try set(CURLOPT_URL, address.text)
    let parts = setParts(address) ? UnsafeMutableRawPointer(urlParts.handle) : nil
    _ = filter?(CURLOPT_CURLU, nil) ?? vitrine_curl_set_pointer(pointer, CURLOPT_CURLU, parts)
  }

  /// Sets the parts of a plain URL. Returns false for another URL, and if memory is exhausted.
  private func setParts(_ address: WebAddress) -> Bool {
    guard let target = address.target else { return false }
    if partsOrigin != address.origin {
      partsOrigin = nil
      guard urlParts.set(CURLUPART_URL, address.text) else { return false }
      partsOrigin = address.origin
      return true
    }
    let isSet = urlParts.set(CURLUPART_PATH, target.path) && urlParts.set(CURLUPART_QUERY, target.query)
    if !isSet { partsOrigin = nil }
    return isSet
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

  /// Sets a text option that transfers do not depend on. Returns false if libcurl does not have the option.
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

  /// Replaces the header lines of the request.
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

  func setErrorText() throws(ImageError) { try set(CURLOPT_ERRORBUFFER, pointer: errorText) }

  func count(_ info: CURLINFO) -> Int {
    guard !isReportOutdated else { return 0 }
    var value = 0
    return vitrine_curl_get_long(pointer, info, &value) == CURLE_OK ? value : 0
  }

  /// Returns a text that libcurl reports about the transfer; `nil` if missing or empty.
  func text(_ info: CURLINFO) -> String? {
    guard !isReportOutdated else { return nil }
    var value: UnsafePointer<CChar>?
    guard vitrine_curl_get_string(pointer, info, &value) == CURLE_OK, let value else { return nil }
    return value.pointee == 0 ? nil : String(cString: value)
  }

  /// The HTTP version of the last response: "1.0", "1.1" or "2"; `nil` without a response.
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

  /// True once a response has arrived over HTTP/2.
  var speaksHTTP2: Bool { count(CURLINFO_HTTP_VERSION) == Int(CURL_HTTP_VERSION_2_0) }

  /// Returns a time in seconds, which libcurl reports in microseconds; 0 if unknown.
  func seconds(_ info: CURLINFO) -> Double {
    guard !isReportOutdated else { return 0 }
    var value = curl_off_t()
    return vitrine_curl_get_offset(pointer, info, &value) == CURLE_OK ? Double(value) / 1e6 : 0
  }

  private func check(_ code: CURLcode) throws(ImageError) {
    guard code == CURLE_OK else { throw .curl(code, message) }
  }
}
