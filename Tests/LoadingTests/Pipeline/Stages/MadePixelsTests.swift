import FoundationEssentials
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The images whose pixels are stored on disk.
@Suite struct MadePixelsTests: RegistrySteps {
  private struct Named: ImageTransform {
    let identifier = "named"
    let storageIdentifier: String?
    func apply(to image: Image) throws(ImageError) -> Image { image }
  }

  private struct Decoder: ImageDecoding {
    let storageIdentifier: String?
    func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
      .solid(width: 1, height: 1)
    }
  }

  private func stored(_ control: String = "max-age=60") -> StoredResponse {
    StoredResponse(
      response: TransportResponse(url: url(), status: 200, headers: ["Cache-Control": control]),
      body: [1, 2, 3], requested: 0, received: 0)
  }

  /// The bytes of a response from the network that may be stored.
  private var storable: FetchedBytes {
    var bytes = FetchedBytes(body: [1, 2, 3], response: stored().response)
    bytes.storedResponse = stored()
    return bytes
  }

  /// Returns the pixels to store after callers have loaded an image from the network.
  private func madePixels(
    _ bytes: FetchedBytes, _ image: Image = .solid(width: 1, height: 1),
    requests: [ImageRequest] = [request()]
  ) throws -> [MadePixels] {
    var registry = LoadRegistry(disk: DiskPlan(isEnabled: true))
    var actions: [LoadAction] = []
    for request in requests { actions += registry.start(Caller(request)).actions }
    if let lookup = actions.lookups.first { actions += registry.lookedUp(lookup, DiskFind()) }
    actions += registry.fetchEnded(try #require(actions.fetches.first), .success(bytes))
    let decoded = registry.decodeEnded(try decodeID(actions), .success(image))
    let ended = registry.storeEnded(try processedImageID(decoded))
    #expect(ended.contains { if case .deliver(_, .success) = $0 { true } else { false } })
    return ended.compactMap { if case .storePixels(let pixels) = $0 { pixels } else { nil } }
  }

  private func variants() throws -> PixelVariants {
    try #require(PixelVariants(Decoder(storageIdentifier: "fake 1"), ImageDownloader.Configuration()))
  }

  @Test func pixelsOfAStoredResponseAreStored() throws {
    let pixels = try madePixels(storable)
    #expect(pixels.count == 1 && pixels.first?.identity == request().identity)
    let variant = try variants().variant(of: try #require(pixels.first?.request), nil)
    #expect(variant != nil)
  }

  @Test func pixelsOfAResponseThatIsNotStoredAreNotStored() throws {
    let forbidden = FetchedBytes(body: [1, 2, 3], response: stored("no-store").response)
    #expect(try madePixels(forbidden).isEmpty)

    // A stored response that its server no longer allows to be stored.
    var withdrawn = storable
    (withdrawn.source, withdrawn.storedResponse, withdrawn.endsStorage) = (.disk, nil, true)
    #expect(try madePixels(withdrawn).isEmpty)

    var marked = FetchedBytes(body: [1, 2, 3], response: stored("no-store").response)
    marked.source = .disk
    #expect(try madePixels(marked).isEmpty)

    var confidential = request()
    confidential.headers["Cache-Control"] = "no-store"
    #expect(try madePixels(storable, requests: [confidential]).isEmpty)
  }

  @Test func pixelsOfARequestWithoutDiskCacheAreNotStored() throws {
    var memoryOnly = request()
    memoryOnly.cache = .none
    #expect(try madePixels(storable, requests: [memoryOnly]).isEmpty)
  }

  @Test func previewsAndImagesWithApplicationDataAreNotStored() throws {
    let image = Image.solid(width: 1, height: 1)
    #expect(try madePixels(storable, image.asPreview).isEmpty)
    #expect(try madePixels(storable, image.withUserData(["note": [1]])).isEmpty)
    #expect(try madePixels(storable, image).count == 1)
  }

  @Test(arguments: [[true, false], [false, true]])
  func oneCallerKeepsSharedPixelsOffTheDisk(choices: [Bool]) throws {
    let requests = choices.map { usesPixelCache in
      var request = request()
      request.usesPixelCache = usesPixelCache
      return request
    }
    let variants = try variants()
    let made = try madePixels(storable, requests: requests)
    #expect(made.allSatisfy { variants.variant(of: $0.request, nil) == nil })
  }

  @Test func decoderOptionsAndTransformsOfTheSameTextsHaveDifferentKeys() throws {
    func named(_ names: String...) -> ImageRequest {
      request(transforms: names.map { Named(storageIdentifier: $0) })
    }
    var option = named("x")
    option.decoderOptions = ["transforms": "a"]
    var number = named("x")
    number.decoderOptions = ["1": "a"]
    let variants = try variants()
    let texts = try [option, number, named("a", "transforms", "x"), named("1", "a", "1", "x")].map {
      try #require(variants.variant(of: $0, nil))
    }
    #expect(Set(texts).count == texts.count)
  }

  @Test func modesOfATargetHaveKeysOfTheirOwn() throws {
    let variants = try variants()
    let texts = try [DecodeTarget.Mode.fit, .fill, .fillIfSimilar].map { mode in
      var request = request()
      request.targetSize = DecodeTarget(width: 64, height: 48, mode: mode)
      return try #require(variants.variant(of: request, nil))
    }
    #expect(Set(texts).count == 3)
  }

  @Test func limitsOfAnimationsAreInTheKeyUnlessTheyAreTheDefaults() throws {
    let (variants, standard) = (try variants(), DecodeLimits())
    func text(_ limits: DecodeLimits) throws -> String {
      var request = request()
      request.limits = limits
      return try #require(variants.variant(of: request, nil))
    }
    #expect(try text(standard).contains(":\(standard.pixels) \(standard.side);"))
    #expect(try text(DecodeLimits(secondsPerFrame: 1)) == text(standard))
    let texts = try [standard, DecodeLimits(frames: 2), DecodeLimits(animationPixels: 2)].map(text)
    #expect(Set(texts).count == 3)
  }

  @Test func keyNeedsStorageIdentifiersAndADiskCache() throws {
    let configuration = ImageDownloader.Configuration()
    #expect(PixelVariants(Decoder(storageIdentifier: nil), configuration) == nil)
    var modifying = configuration
    modifying.responses.bodyModifier = { bytes, _ in bytes }
    #expect(PixelVariants(Decoder(storageIdentifier: "fake 1"), modifying) == nil)

    let variants = try variants()
    #expect(variants.variant(of: request(transforms: [Named(storageIdentifier: "named 1")]), nil) != nil)
    #expect(variants.variant(of: request(transforms: [Named(storageIdentifier: nil)]), nil) == nil)
    for change: (inout ImageRequest) -> Void in [
      { $0.usesPixelCache = false }, { $0.decodes = false }, { $0.cache = .none },
    ] {
      var request = request()
      change(&request)
      #expect(variants.variant(of: request, nil) == nil)
    }
  }
}
