import Glibc

extension String {
  /// True if the UTF-8 text contains an ASCII character. Searches bytes, because this runs for each load and a search for
  /// a `Character` is far slower.
  package func contains(byte: UInt8) -> Bool {
    utf8.withContiguousStorageIfAvailable { bytes in
      bytes.baseAddress.map { memchr($0, Int32(byte), bytes.count) != nil } ?? false
    } ?? utf8.contains(byte)
  }
}
