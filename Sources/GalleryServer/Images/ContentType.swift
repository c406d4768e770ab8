/// Returns the media type for a file name's extension, or `application/octet-stream` for an unknown extension.
func contentType(ofFile name: String) -> String {
  switch name.split(separator: ".").last?.lowercased() {
  case "jpg", "jpeg": "image/jpeg"
  case "png": "image/png"
  case "gif": "image/gif"
  case "webp": "image/webp"
  case "avif": "image/avif"
  case "bmp": "image/bmp"
  case "tif", "tiff": "image/tiff"
  case "svg": "image/svg+xml"
  case "html": "text/html; charset=utf-8"
  case "txt": "text/plain; charset=utf-8"
  default: "application/octet-stream"
  }
}
