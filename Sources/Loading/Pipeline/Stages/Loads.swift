import VitrineGraphics

/// The state that the parts of `LoadRegistry` share: the running loads, the time, and the actions of the current input.
struct Loads {
  /// The current time in nanoseconds.
  var now: Int64 = 0
  var tree: StageTree
  /// The actions to perform, in this order.
  var actions: [LoadAction] = []

  mutating func takeActions() -> [LoadAction] {
    defer { actions = [] }
    return actions
  }

  // MARK: Images

  /// Starts the transforms of an image if the decode has ended, or stores the image if there are no transforms.
  mutating func process(_ id: ProcessedImageID) {
    // An image of the pixel cache does not wait for its decode.
    guard let processedImage = tree[id], processedImage.isIdle,
      case .decoded(let image) = tree[processedImage.decode]?.phase
    else { return }
    guard !processedImage.request.transforms.isEmpty else { return store(id, image) }
    tree.setPhase(.transforming, of: id)
    actions.append(
      .transform(id, image, processedImage.request, processedImage.demand.priority ?? .normal))
  }

  /// Offers the images of a decode that the pixel cache has to the cache. Returns true if no image of the decode waits
  /// for its pixels any more.
  mutating func storeImages(of id: DecodeID) -> Bool {
    guard let decode = tree[id], case .received(let bytes) = tree[decode.fetch]?.phase,
      !bytes.images.isEmpty || !bytes.firstFrames.isEmpty
    else { return false }
    var hasAll = true
    for image in decode.processedImages where tree[image]?.isIdle == true {
      if let processedImage = tree[image], let stored = tree.storedImage(for: processedImage, in: bytes) {
        tree.setBytes(bytes, of: id)
        store(image, stored, isWhole: bytes.images[processedImage.key] != nil)
      } else {
        hasAll = false
      }
    }
    return hasAll
  }

  /// Offers an image to the cache, unless a later fetch has brought newer bytes.
  ///
  /// - Parameter isWhole: False for the first frame of an animation, which must not be in memory as if it were the
  ///   image.
  mutating func store(_ id: ProcessedImageID, _ image: Image, isWhole: Bool = true) {
    guard let processedImage = tree[id], let fetch = tree.fetch(of: id) else { return }
    if let response = tree[processedImage.decode]?.bytes?.response { image.version = response.version }
    tree.setPhase(.storing(image), of: id)
    var request = processedImage.request
    if !isWhole || tree[fetch]?.isOutdated == true { request.cache = .none }
    actions.append(.store(id, image, request, additionalIdentifier: processedImage.additionalIdentifier))
  }

  /// Requests a revalidation for every image of a fetch that shows a stale response. Requests that use the disk cache
  /// come first, because only these have the validators of the stored response.
  mutating func revalidate(_ id: FetchID) {
    let shown = tree.images(of: id).sorted().compactMap { tree[$0] }
    for image in shown.filter(\.request.cache.usesDisk) + shown.filter({ !$0.request.cache.usesDisk }) {
      actions.append(.revalidate(image.request, additionalIdentifier: image.additionalIdentifier))
    }
  }
}
