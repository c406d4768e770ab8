extension TransportResponse {
  /// A number that responses of one request have in common if the server has given them the same validator: the entity
  /// tag, weak or strong, or else the date of the last change (RFC 9110, 8.8). 0 without a validator. Differs between
  /// runs of the program.
  var version: UInt64 {
    let validator =
      headers["ETag"].map { $0.hasPrefix("W/") ? $0.dropFirst(2) : $0[...] } ?? headers["Last-Modified"]?[...]
    return validator.map { UInt64(truncatingIfNeeded: $0.hashValue) | 1 } ?? 0
  }
}
