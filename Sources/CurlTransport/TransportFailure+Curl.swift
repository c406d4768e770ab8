import CCurl
import VitrineLoading

extension TransportFailure {
  /// Maps a code of libcurl. A code that libcurl returns for other protocols only is `.other`.
  init(_ code: CURLcode) {
    self =
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST: .cannotResolveHost
      case CURLE_COULDNT_CONNECT: .cannotConnect
      case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CLIENTCERT,
        CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED:
        .secureConnectionFailed
      case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
        .connectionLost
      case CURLE_PARTIAL_FILE: .truncatedBody
      case CURLE_WEIRD_SERVER_REPLY: .malformedResponse
      case CURLE_BAD_CONTENT_ENCODING: .unexpectedEncoding
      case CURLE_UNSUPPORTED_PROTOCOL, CURLE_NOT_BUILT_IN, CURLE_UNKNOWN_OPTION: .unsupported
      case CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT: .invalidRequest
      case CURLE_OUT_OF_MEMORY: .outOfResources
      case CURLE_WRITE_ERROR: .aborted
      default: .other
      }
  }
}
