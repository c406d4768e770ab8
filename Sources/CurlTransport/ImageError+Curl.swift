import CCurl
import VitrineLoading

extension ImageError {
  /// A code of libcurl's with a message, libcurl's own for that code if none is given.
  static func curl(_ code: CURLcode, _ message: String? = nil) -> ImageError {
    CurlFailure(code: code, message: message).error
  }
}
