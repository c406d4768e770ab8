import VitrineGraphics

/// An action decided by the registry. The engine reports the result with the number of the stage.
///
/// `indirect`, because each action is copied several times on its way to the engine, and some hold a dozen references.
indirect enum LoadAction: Equatable, Sendable {
  /// Look up the disk; report the result with `lookedUp`.
  case lookUp(FetchID, ImageRequest, ImageRequest.Priority)
  case cancelLookup(FetchID)
  /// Continue without the disk, which has not responded in time; report this with `lookupSkipped`.
  case skipLookup(FetchID)
  /// Store the response on disk, because the bytes were decoded successfully.
  case keep(FetchedBytes, RequestIdentity)
  /// Remove the stored response, which is damaged, withdrawn by the server, or must not be stored.
  case discard(RequestIdentity)
  /// Ask the server whether an image that was shown has changed. No caller waits for the response.
  case revalidate(ImageRequest, additionalIdentifier: String?)
  /// Call `serveCopy(of:atOnce:)`: callers of the fetch show the stored response while the server is asked.
  case serveCopy(FetchID)
  case startFetch(FetchID, ImageRequest)
  /// Ask the disk cache before these transfers start; report the answers with `prepared`.
  case prepareFetches([FetchQuestion])
  /// Check whether other processes still fetch these responses; report the result with `checkedLocks`.
  case checkLocks([FetchID: RequestIdentity])
  case cancelFetch(FetchID)
  /// Stop a transfer that may be started again. Resumable data are kept.
  case pauseFetch(FetchID)
  /// Move a caller from the transfer of a fetch to the transfer of another fetch, if that is running.
  case moveTask(TaskID, from: FetchID, to: FetchID)
  /// Call `overdueCopies()` and `woken(at:)` at this time.
  case wake(at: Int64)
  /// Tell these callers that the download has failed and is retried after a number of seconds.
  case announceRetry([TaskID], after: Double, ImageError)
  /// Show these slots the first frame of an animation whose other frames have to be decoded, or a smaller variant.
  case showMeanwhile([TaskID], Image)
  case decode(DecodeID, [UInt8], DecodeKey, ImageRequest.Priority)
  /// Apply the transforms of the request.
  case transform(ProcessedImageID, Image, ImageRequest, ImageRequest.Priority)
  /// Drop a decode or a transform that has not begun, or stop a decode that is running.
  case cancelWork(number: UInt64)
  case reprioritizeWork(number: UInt64, ImageRequest.Priority)
  case store(ProcessedImageID, Image, ImageRequest, additionalIdentifier: String?)
  /// Store the pixels of an image that was made from a stored response, or from a response that is being stored.
  case storePixels(MadePixels)
  /// Report the outcome to these callers, in this order.
  case deliver([TaskID], LoadOutcome)
}

/// The outcome of a load, as decided by the registry.
enum LoadOutcome: Equatable, Sendable {
  case success(ImageResponse)
  case failure(ImageError)

  var result: Result<ImageResponse, ImageError> {
    switch self {
    case .success(let response): .success(response)
    case .failure(let error): .failure(error)
    }
  }

  /// True for equal errors, and for responses with the same image, source and freshness.
  static func == (a: LoadOutcome, b: LoadOutcome) -> Bool {
    switch (a, b) {
    case (.success(let a), .success(let b)):
      a.image === b.image && a.source == b.source && a.freshness == b.freshness
    case (.failure(let a), .failure(let b)): a == b
    case (.success, .failure), (.failure, .success): false
    }
  }
}

extension Result<ImageResponse, ImageError> {
  /// The result without the encoded data, for callers that have not requested the data.
  var withoutData: Self {
    map { response in
      var response = response
      response.data = nil
      return response
    }
  }
}
