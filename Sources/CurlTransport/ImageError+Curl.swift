import CCurl
import VitrineLoading

extension ImageError {
  /// Creates an error from a libcurl code. If `message` is `nil`, libcurl's text for the code is used.
  static func curl(_ code: CURLcode, _ message: String? = nil) -> ImageError {
    CurlFailure(code: code, message: message).error
  }
}
