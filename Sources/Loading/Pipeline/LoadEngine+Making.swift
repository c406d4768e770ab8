import VitrineConcurrency
import VitrineGraphics

// Decoding, transforming, storing and delivering images.

extension LoadEngine {
  func decode(
    _ id: DecodeID, _ body: [UInt8], _ key: DecodeKey, _ priority: ImageRequest.Priority
  ) {
    let options = key.options(configuration.pixelFormat)
    let reservation = MemoryReservation(0, in: ledger, as: .decoding)
    let work = ledger.beginWork()
    // Measured by a worker: the header may be as long as the body, and this thread may belong to a transport.
    let claim = MemoryClaim(in: reservation, beside: body.count) { [decoder] in
      key.decodes ? decoder.memoryNeeded(for: body, options: options) : 0
    }
    let flag = CancellationFlag()
    workers.submit(id.number, priority: priority.rawValue, taking: claim, stoppedBy: flag) { [self] in
      ledger.checkPressure()
      trace.record(.decodeBegan(decode: id.number))
      let result = Result { () throws(ImageError) in
        guard key.decodes else {
          try key.validator?.check(body)
          return Self.noImage
        }
        if claim.isGivenUp { throw claim.refusal }
        return try key.settings.applied(
          to: decoder.decode(body, options: options, cancellation: flag.cancellation))
      }
      if case .success(let image) = result, key.decodes { countAsShown(image, movedFrom: reservation) }
      reservation.end()
      trace.record(.decodeEnded(id, result))
      perform { state in
        let now = state.registry.now
        if let request = state.registry.requestToServer(of: id) {
          switch result {
          case .success: state.failures?.remove(request.identity.asSent)
          case .failure(let error): state.remember(error, of: request, at: now)
          }
        }
        return state.registry.decodeEnded(id, result)
      }
      work.end()
    }
  }

  /// Counts the pixels of an image until the image is released, except while the cache counts the pixels. Does nothing
  /// if the application has a cache of its own, which counts its images itself.
  func countAsShown(_ image: Image, movedFrom reservation: MemoryReservation) {
    if cache == nil || cache is MemoryImageCache { image.countAsShown(movedFrom: reservation) }
  }

  /// The placeholder image of a response that is not decoded.
  private static let noImage = Image(
    Bitmap(width: 1, height: 1, format: .bgra, isOpaque: false) { bytes, _ in
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
    })

  /// Applies transforms one after another. Fails with `.cancelled` between two transforms.
  static func apply(
    _ transforms: [any ImageTransform], to image: Image, _ cancellation: DecodeCancellation = .never
  ) -> Result<Image, ImageError> {
    Result { () throws(ImageError) in
      var image = image
      for transform in transforms {
        try cancellation.check()
        image = try transform.apply(to: image).claimingNoMore(than: image)
      }
      return image
    }
  }

  func store(
    _ id: ProcessedImageID, _ image: Image, _ request: ImageRequest, _ identifier: String?
  ) {
    // Read before the cache is called, because the callers may leave in the meantime.
    if let freshness = state.withLock({ $0.registry.freshness(of: id) }),
      let cache = request.cache(default: cache),
      cache.shouldCache(image, for: request, additionalIdentifier: identifier)
    {
      if freshness == .fresh, state.withLock({ $0.registry.replacesOtherSizes(id, request) }) {
        cache.removeImage(for: request, additionalIdentifier: identifier)
      }
      cache.insert(image, for: request, additionalIdentifier: identifier)
      if case .stale(_, let reason) = freshness { noteStale(image, request, identifier, because: reason) }
    }
    perform { state in
      state.storeCount += 1
      return state.registry.storeEnded(id)
    }
  }

  func deliver(_ ids: [TaskID], _ result: Result<ImageResponse, ImageError>) {
    let tasks = state.withLock { state in
      state.statistics.count(result, times: ids.count)
      state.completing += ids.count
      return ids.compactMap { state.tasks.removeValue(forKey: $0) }
    }
    let outcome = TraceEvent.Outcome(result)
    for id in ids { trace.recordResponse(id.number, outcome) }
    for task in tasks {
      task.settle(task.request.keepsData || !task.request.decodes ? result : result.withoutData)
    }
    resume(
      state.withLock { state in
        state.completing -= ids.count
        return state.takeIdleWaiters()
      })
  }
}

extension Result<ImageResponse, ImageError> {
  /// The result without the encoded data, for callers that have not requested the data.
  fileprivate var withoutData: Self {
    map { response in
      var response = response
      response.data = nil
      return response
    }
  }
}

extension Image {
  /// Returns the image with a source size in proportion, if a transform has lost the information that the input was
  /// scaled down. Otherwise a slot that needs more pixels would be served by this image.
  fileprivate func claimingNoMore(than input: Image) -> Image {
    guard isFullSize, !input.isFullSize else { return self }
    return Image(
      frames: frames, scale: scale, format: format,
      sourceWidth: max(pixelWidth + 1, pixelWidth * input.sourceWidth / input.pixelWidth),
      sourceHeight: max(pixelHeight + 1, pixelHeight * input.sourceHeight / input.pixelHeight))
  }
}
