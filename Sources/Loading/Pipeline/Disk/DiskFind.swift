/// The result of a disk lookup.
struct DiskFind: Sendable {
  var copy: StoredCopy?
  /// The remembered failure of an earlier request, if the server refused that a short time ago.
  var failure: ImageError?
  /// True if the head of a response has come from the network.
  var serverHasResponded = false
}
