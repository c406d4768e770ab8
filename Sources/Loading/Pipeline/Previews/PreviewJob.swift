/// A preview to be made from the bytes received so far.
struct PreviewJob {
  /// The number of the job in the worker pool.
  let number: UInt64
  let decode: DecodeID
  let key: DecodeKey
  let style: ImageRequest.Progressive
  /// The decoder of the previous preview; `nil` if there was none, or if the decoder was released.
  let decoder: ReservedDecoder?
}
