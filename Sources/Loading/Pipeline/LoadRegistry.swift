import VitrineGraphics

/// The state of all loads. Makes decisions only: each input returns the actions to perform.
///
/// Running work can be joined at three levels: bytes, decoded pixels, processed image. A caller that leaves does not
/// affect the other callers. The last caller to leave stops the work, level by level.
///
/// The parts know as little as possible of one another: `StageTree` knows who waits for what, `FetchPlan` where the
/// bytes come from and when, `PreviewPlan` the previews, and `VaryPlan` the headers that make responses differ. The
/// registry passes the consequences of a change from one part to the others.
struct LoadRegistry {
  private(set) var loads: Loads
  private(set) var fetches: FetchPlan
  private(set) var varying = VaryPlan()
  /// The previews, which depend on no other part but the tree.
  var previews = PreviewPlan()

  /// - Parameters:
  ///   - firstNumber: The number below all numbers that the registry assigns.
  ///   - undecodedBytesLimit: The number of undecoded bytes at which no further download or lookup starts.
  init(
    firstNumber: UInt64 = 0, undecodedBytesLimit: Int = .max, transfers: TransferPlan = TransferPlan(),
    lookups: LookupLine = LookupLine(), disk: DiskPlan = DiskPlan(), locks: FetchLocks = FetchLocks()
  ) {
    loads = Loads(tree: StageTree(firstNumber: firstNumber))
    fetches = FetchPlan(
      undecodedBytesLimit: undecodedBytesLimit, transfers: transfers, lookups: lookups, disk: disk,
      locks: locks)
  }

  /// The current time in nanoseconds. The engine sets this before each input.
  var now: Int64 {
    get { loads.now }
    set { loads.now = newValue }
  }

  /// Removes and returns the objects to release without a lock; see `StageTree.takeReleasedObjects()`.
  mutating func takeReleasedObjects() -> [any Sendable] { loads.tree.takeReleasedObjects() }

  /// The limits and the order of downloads. Call `admitted()` after a change.
  var queue: DownloadQueue {
    get { fetches.transfers.queue }
    _modify { yield &fetches.transfers.queue }
  }

  /// Returns the callers that wait for a fetch, in order of registration.
  func tasks(of id: FetchID) -> [TaskID] { loads.tree.tasks(of: id) }

  // MARK: Callers

  /// Adds a caller that waits for an image. Joins running work at the deepest possible level, and starts the missing
  /// stages.
  mutating func start(_ caller: Caller) -> (task: TaskID, actions: [LoadAction]) {
    let task = join(caller)
    return (task, admitted())
  }

  /// - Parameter task: The number of a caller who has left another fetch; `nil` for a new caller.
  @discardableResult
  private mutating func join(_ caller: Caller, as task: TaskID? = nil) -> TaskID {
    let request = caller.request
    let fetch = Coalescing.fetch(for: request, in: loads.tree) { fetches.disk[$0] }
    let place = loads.tree.join(caller, fetch: fetch, as: task)
    apply(place.demand)
    fetches.join(place.fetch, request, isNew: place.isNewFetch, in: &loads)
    if !place.isNewFetch, caller.purpose.takesProvisionalImages,
      let bytes = fetches.disk[place.fetch].awaitingBody
    {
      showProvisionalImages(of: place.fetch, in: bytes)
    }
    if place.isNewFetch {
      fetches.enqueue(place.fetch, request.priority, at: now)
    } else if place.isNewDecode {
      beginDecode(place.decode)
    } else if place.isNewProcessedImage {
      // The decode has not begun if the pixel cache had its other images.
      beginDecode(place.decode)
      loads.process(place.processedImage)
    }
    if !place.isNewFetch, loads.tree[place.task]?.takesCopy == true {
      fetches.disk.limitWaiting(place.fetch, in: &loads)
    }
    fetches.holdOrRelease(place.fetch, in: &loads)
    return place.task
  }

  /// Removes a caller, which receives `.cancelled`. Does nothing if the caller has received a result.
  mutating func cancel(_ task: TaskID) -> [LoadAction] {
    guard let fetch = loads.tree.fetch(of: task), let processedImage = leave(task) else { return [] }
    loads.actions.append(.deliver([task], .failure(.cancelled)))
    removeIfUnwanted(processedImage)
    fetches.holdOrRelease(fetch, in: &loads)
    return admitted()
  }

  /// Removes all callers, which receive `.cancelled` in order of registration, and stops all work.
  mutating func cancelAll() -> [LoadAction] {
    fail(loads.tree.tasks, .cancelled)
    return loads.takeActions()
  }

  mutating func setPriority(_ priority: ImageRequest.Priority, of task: TaskID) -> [LoadAction] {
    guard let change = loads.tree.setPriority(priority, of: task) else { return [] }
    apply(change)
    return loads.takeActions()
  }

  /// Pauses or resumes a caller. A transfer is stopped when all callers have paused. Bytes that have been received are
  /// processed nevertheless.
  mutating func setPaused(_ isPaused: Bool, _ task: TaskID) -> [LoadAction] {
    guard let fetch = loads.tree.fetch(of: task), let change = loads.tree.setPaused(isPaused, task) else {
      return []
    }
    apply(change)
    fetches.holdOrRelease(fetch, in: &loads)
    return admitted()
  }

  /// Moves work that waits to the position of its new priority.
  private mutating func apply(_ change: DemandChange) {
    if let (number, priority) = change.transform {
      loads.actions.append(.reprioritizeWork(number: number, priority))
    }
    if let (number, priority) = change.decode {
      loads.actions.append(.reprioritizeWork(number: number, priority))
    }
    if let (id, priority) = change.fetch { fetches.setPriority(priority, of: id, at: now) }
  }

  // MARK: Time and network

  /// Continues downloads that wait for a server or for the next attempt, because the network has returned.
  mutating func networkReturned() -> [LoadAction] {
    queue.networkReturned()
    return admitted()
  }

  /// True if no request may leave this machine.
  var isOffline: Bool { fetches.transfers.isOffline }

  /// Keeps requests from leaving this machine, or allows them again.
  mutating func setOffline(_ isOffline: Bool) -> [LoadAction] {
    fetches.setOffline(isOffline, in: &loads)
    return admitted()
  }

  /// Called at the time of a `.wake`, after the stored responses of `overdueCopies()` were served.
  mutating func woken(at time: Int64) -> [LoadAction] {
    fetches.woken(at: time)
    return admitted()
  }

  /// Notes whether the disk is slower than the network; see `DiskWrites.isBehind`.
  mutating func setDiskBehind(_ isBehind: Bool) -> [LoadAction] {
    fetches.setDiskBehind(isBehind, at: now)
    return admitted()
  }

  /// Starts the lookups and downloads that may begin now. Returns all pending actions.
  mutating func admitted() -> [LoadAction] {
    startWaiting()
    return loads.takeActions()
  }

  private mutating func startWaiting() {
    for (id, error) in fetches.giveUpLookups(in: &loads) { proceed(id, .fail(error)) }
    // A fetch that no longer waits for another process may be refused a download.
    fetches.proceedWithLocks(in: &loads)
    let refused = fetches.refuseDownloads(in: &loads)
    // A refused fetch may read the body of its stored response.
    for (id, step) in refused { proceed(id, step) }
    while let (id, error) = fetches.startLookups(in: &loads) { proceed(id, .fail(error)) }
    fetches.startDownloads(in: &loads)
  }

  /// Returns the fetches whose servers have not responded in time, and whose callers are to be served by `serveCopy`.
  mutating func overdueCopies() -> [FetchID] { fetches.disk.takeOverdue(in: &loads) }

  /// Moves the callers of a fetch to the fetch that decodes the stored response. The original fetch goes on for the
  /// remaining tasks, and is cancelled if there are none.
  ///
  /// - Parameter atOnce: True to move only the callers that do not wait for the server.
  mutating func serveCopy(of id: FetchID, atOnce: Bool = false) -> [LoadAction] {
    guard fetches.disk.mayServeCopy(of: id, atOnce: atOnce, in: loads.tree) else {
      return loads.takeActions()
    }
    let tasks = loads.tree.tasks(of: id).filter { loads.tree[$0]?.takesCopy(atOnce: atOnce) == true }
    if let stored = fetches.fetchOfCopy(serving: id, in: loads.tree) {
      move(tasks, from: id, to: stored)
      continueStages(of: stored)
    } else if let (stored, bytes) = fetches.addFetchOfCopy(of: id, in: &loads) {
      move(tasks, from: id, to: stored)
      proceed(stored, .decode(bytes))
    }
    fetches.holdOrRelease(id, in: &loads)
    return admitted()
  }

  private mutating func move(_ tasks: [TaskID], from id: FetchID, to other: FetchID) {
    for task in tasks {
      guard let (processedImage, left, joined) = loads.tree.move(task, to: other) else { continue }
      apply(left)
      apply(joined)
      loads.actions.append(.moveTask(task, from: id, to: other))
      removeIfUnwanted(processedImage)
    }
  }

  /// Starts the stages that callers have added to a fetch whose bytes have been received.
  private mutating func continueStages(of id: FetchID) {
    guard let decodes = loads.tree[id]?.decodes else { return }
    for decode in decodes {
      beginDecode(decode)
      guard let images = loads.tree[decode]?.processedImages else { continue }
      for image in images {
        if case .idle = loads.tree[image]?.phase { loads.process(image) }
      }
    }
  }

  /// Moves the callers of a fetch to the earlier fetch that decodes the stored response, because the server has
  /// confirmed that response.
  private mutating func confirm(_ stored: FetchID, _ bytes: FetchedBytes, of id: FetchID) {
    fetches.update(stored, by: bytes, in: &loads)
    fetches.disk.takeOver(stored, from: id)
    move(loads.tree.tasks(of: id), from: id, to: stored)
    continueStages(of: stored)
    guard let decodes = loads.tree[stored]?.decodes else { return }
    for decode in decodes.compactMap({ loads.tree[$0] }) {
      if case .decoded = decode.phase { fetches.disk.keep(decode, in: &loads) }
    }
  }

  /// Delivers images in memory whose stored response the server has confirmed, instead of decoding the response again.
  private mutating func confirm(
    _ images: [ProcessedImageID: Image], _ bytes: FetchedBytes, of id: FetchID
  ) {
    let waiting = Set(loads.tree.images(of: id))
    // A caller who receives the encoded bytes waits for the body.
    let confirmed = images.filter { id, _ in
      waiting.contains(id) && !(bytes.isBodyOnDisk && loads.tree.keepsData(id))
    }.sorted { $0.key < $1.key }
    // The remaining images are decoded, and the response is stored after that.
    if confirmed.count == waiting.count { fetches.disk.keep(bytes, of: id, in: &loads) }
    for (processedImage, image) in confirmed {
      var response = ImageResponse(
        image: image, source: bytes.source, http: bytes.response, metrics: bytes.metrics,
        freshness: bytes.freshness, data: bytes.data)
      if fetches.disk[id].isSettled { response.storing = bytes.storing }
      finish([processedImage], .success(response))
    }
  }

  // MARK: Bytes

  /// Handles the head of a response. The callers that the response does not serve, because of a header named in `Vary`,
  /// leave the fetch and send requests of their own.
  ///
  /// - Parameter request: Returns the request of a caller, with the headers as given.
  /// - Returns: The identity that the fetch has from now on; `nil` for no change.
  mutating func responded(
    _ id: FetchID, _ headers: HTTPHeaders, _ credentials: AddedCredentials = AddedCredentials(),
    request: (TaskID) -> ImageRequest?
  ) -> (identity: RequestIdentity?, actions: [LoadAction]) {
    guard let split = varying.split(id, headers, credentials, in: loads.tree, request: request) else {
      return (nil, [])
    }
    var left: [(task: TaskID, caller: Caller)] = []
    for (task, caller) in split.others {
      // A caller that has received an error, because the look-up was given up meanwhile, sends no other request.
      guard let processedImage = leave(task) else { continue }
      left.append((task, caller))
      removeIfUnwanted(processedImage)
      fetches.holdOrRelease(id, in: &loads)
      startWaiting()
    }
    loads.tree.setIdentity(split.identity, of: id)
    for (task, identity) in split.staying { loads.tree.setIdentity(identity, of: task) }
    for (task, caller) in left {
      join(caller, as: task)
      if let fetch = loads.tree.fetch(of: task) { loads.actions.append(.moveTask(task, from: id, to: fetch)) }
      startWaiting()
    }
    return (split.identity, loads.takeActions())
  }

  /// Handles the end of an attempt.
  mutating func fetchEnded(_ id: FetchID, _ end: FetchEnd) -> [LoadAction] {
    guard loads.tree.isRunning(id) else { return [] }
    let step = fetches.ended(id, end, in: &loads)
    if !end.confirmed.isEmpty, case .decode(let bytes) = step { confirm(end.confirmed, bytes, of: id) }
    proceed(id, step)
    return admitted()
  }

  /// Drops the stored response, because the response of the server does not match. The request is then sent without a
  /// condition.
  mutating func dropCopy(of id: FetchID) { fetches.disk.setCopy(nil, of: id) }

  /// Returns what a disk lookup of a fetch is for.
  ///
  /// - Parameter findsPixels: True if there is a pixel cache.
  func need(of id: FetchID, findsPixels: Bool) -> DiskReader.Need {
    let stage = fetches.disk[id]
    if let awaiting = stage.awaitingBody {
      let isShown =
        !awaiting.provisionalImages.isEmpty
        && !loads.tree.hasCaller(of: id) { $0.purpose == .awaitedSlot }
      return .init(needsDigest: true, isAwaited: !isShown)
    }
    // The server is asked even if the response is fresh, unless the stored response may be used as it is.
    return .init(
      images: findsPixels && !stage.needsBody ? loads.tree.wantedImages(of: id) : [],
      needsDigest: stage.use < .byFreshness, isAwaited: !stage.isLate)
  }

  mutating func lookedUp(_ id: FetchID, _ find: DiskFind) -> [LoadAction] {
    let step = fetches.lookedUp(id, find, in: &loads)
    if find.copy?.mayShowOnError == false {
      // Unlike a cache-only request, these loads show only what may be shown without the server.
      fail(loads.tree.tasks(of: id).filter { loads.tree[$0]?.purpose == .storedImage }, .notCached)
    }
    proceed(id, step)
    return admitted()
  }

  mutating func lookupWithdrawn(_ id: FetchID) -> [LoadAction] {
    fetches.lookupWithdrawn(id)
    return admitted()
  }

  /// Sends a fetch to the network because the disk has not responded in time.
  ///
  /// - Parameter failure: The remembered failure of an earlier request, if the server refused it a short time ago.
  mutating func lookupSkipped(_ id: FetchID, _ failure: ImageError?) -> [LoadAction] {
    guard let step = fetches.lookupSkipped(id, failure, in: &loads) else { return [] }
    proceed(id, step)
    return admitted()
  }

  /// Handles answers of the disk cache before transfers.
  mutating func prepared(_ answers: [(id: FetchID, preparation: FetchPreparation)]) -> [LoadAction] {
    for (id, preparation) in answers { fetches.prepared(id, preparation, in: &loads) }
    return admitted()
  }

  /// Notes that the disk cache reads resumable data before it answers.
  mutating func readsResumableData(_ bytes: Int, for id: FetchID) -> [LoadAction] {
    fetches.readsResumableData(bytes, for: id, at: now)
    return admitted()
  }

  /// Removes and returns the answer of the disk cache for a transfer that starts.
  mutating func takePreparation(of id: FetchID) -> FetchPreparation? { fetches.takePreparation(of: id) }

  /// Handles the check of the fetches that wait for other processes.
  mutating func checkedLocks(_ progress: [FetchID: FetchLockProgress]) -> [LoadAction] {
    fetches.checkedLocks(progress, in: &loads)
    return admitted()
  }

  /// Performs the next step of a fetch.
  private mutating func proceed(_ id: FetchID, _ step: FetchPlan.Step) {
    switch step {
    case .wait: break
    case .decode(let bytes): decode(bytes, of: id)
    case .decodeAndRevalidate(let bytes):
      decode(bytes, of: id)
      loads.revalidate(id)
    case .confirm(let stored, let bytes): confirm(stored, bytes, of: id)
    case .askServer:
      // Cache-only callers may have joined while the body was being read.
      if fetches.disk[id].needsBody { failCacheOnlyCallers(of: id, .notCached) }
      fetches.askServer(id, in: &loads)
    case .replace(let damage):
      failCacheOnlyCallers(of: id, damage)
      if fetches.showsCopy(id, in: loads.tree) {
        fetches.askServer(insteadOfCopy: id, in: &loads)
      } else {
        fetches.askServer(id, in: &loads)
      }
    case .waitForServer: waitForServer(insteadOfCopy: id, isLate: true)
    case .fail(.notCached) where fetches.showsCopy(id, in: loads.tree): waitForServer(insteadOfCopy: id)
    case .fail(let error): finish(loads.tree.images(of: id), .failure(error))
    }
  }

  /// Makes callers wait for the server, because the stored response that they were to be shown meanwhile is no longer
  /// on disk, or was not read in time. Fails the cache-only callers.
  ///
  /// - Parameter isLate: True if the stored response may still be read if the server fails.
  private mutating func waitForServer(insteadOfCopy id: FetchID, isLate: Bool = false) {
    failCacheOnlyCallers(of: id, .notCached)
    guard let asking = fetches.fetchAskingServer(insteadOf: id, isLate: isLate, in: loads.tree) else {
      return fetches.askServer(insteadOfCopy: id, in: &loads)
    }
    move(loads.tree.tasks(of: id), from: id, to: asking)
    fetches.disk.limitWaiting(asking, in: &loads)
    fetches.holdOrRelease(asking, in: &loads)
  }

  private mutating func failCacheOnlyCallers(of id: FetchID, _ error: ImageError) {
    fail(loads.tree.tasks(of: id).filter { loads.tree[$0]?.isCacheOnly == true }, error)
  }

  // MARK: Images

  private mutating func decode(_ bytes: FetchedBytes, of id: FetchID) {
    guard let decodes = loads.tree[id]?.decodes else { return }
    if bytes.isBodyOnDisk, loads.tree.needsBody(id, beside: bytes) {
      showProvisionalImages(of: id, in: bytes)
      return fetches.readBody(of: bytes, id, in: &loads)
    }
    loads.tree.setPhase(.received(bytes), of: id)
    fetches.disk.received(id)
    for decode in decodes { beginDecode(decode) }
  }

  /// Shows the first frames and the smaller variants that the pixel cache has to the slots that wait for the images.
  private mutating func showProvisionalImages(of id: FetchID, in bytes: FetchedBytes) {
    for (tasks, image) in loads.tree.takersOfProvisionalImages(of: id, in: bytes) where !tasks.isEmpty {
      loads.actions.append(.showMeanwhile(tasks, image))
    }
  }

  private mutating func beginDecode(_ id: DecodeID) {
    if loads.storeImages(of: id) {
      endPreviews(of: id)
      if let decode = loads.tree[id] { hasPixels(decode) }
      return
    }
    guard let body = loads.tree.beginDecode(id), let key = loads.tree[id]?.key else { return }
    endPreviews(of: id)
    loads.actions.append(.decode(id, body, key, loads.tree[id]?.demand.priority ?? .normal))
  }

  /// Brings the disk up to date with the bytes of a decode whose pixels are known.
  private mutating func hasPixels(_ decode: Decode) {
    fetches.disk.keep(decode, in: &loads)
    for id in loads.tree.outdateOlder(than: decode.fetch) { fetches.disk.outdate(id) }
  }

  /// Handles the end of a decode, which took `seconds`.
  mutating func decodeEnded(
    _ id: DecodeID, _ result: Result<Image, ImageError>, seconds: Double = 0
  ) -> [LoadAction] {
    guard let decode = loads.tree.endDecode(id) else { return [] }
    switch result {
    case .success(let image):
      loads.tree.setDecoded(image, id, seconds: seconds)
      if let decode = loads.tree[id] { hasPixels(decode) }
      for processedImage in decode.processedImages { loads.process(processedImage) }
      proceed(decode.fetch, fetches.replaceDamage(decode.fetch, in: &loads))
    case .failure(let error):
      if fetches.disk.findsOtherBytes(for: decode.fetch, after: error, in: loads.tree) {
        proceed(decode.fetch, fetches.replaceDamage(decode.fetch, in: &loads))
      } else {
        finish(Array(decode.processedImages), .failure(error))
      }
    }
    return admitted()
  }

  /// Handles the end of the transforms of an image, which took `seconds`.
  mutating func transformEnded(
    _ id: ProcessedImageID, _ result: Result<Image, ImageError>, seconds: Double = 0
  ) -> [LoadAction] {
    guard case .transforming = loads.tree[id]?.phase else { return [] }
    loads.tree.setPhase(.idle, of: id)
    loads.tree.setSeconds(seconds, of: id)
    switch result {
    case .success(let image): loads.store(id, image)
    case .failure(let error): finish([id], .failure(error))
    }
    return admitted()
  }

  /// The response that an image was made from, and its freshness.
  struct ImageOrigin {
    let freshness: ImageResponse.Freshness
    /// The head of the response; `nil` without a disk cache.
    let response: TransportResponse?
    /// The number of seconds since the server last sent or confirmed the response; `nil` if it has just done so.
    let age: Double?
    /// True if the response is on disk, or will be stored there.
    let isOnDisk: Bool
  }

  /// Returns the origin of an image, or `nil` if no caller waits for the image any more. Always fresh without a disk cache.
  func origin(of processedImage: ProcessedImageID) -> ImageOrigin? {
    guard fetches.disk.isEnabled else {
      return ImageOrigin(freshness: .fresh, response: nil, age: nil, isOnDisk: false)
    }
    let bytes = loads.tree[processedImage].flatMap { loads.tree[$0.decode]?.bytes }
    return bytes.map { bytes in
      ImageOrigin(
        freshness: bytes.freshness, response: bytes.response, age: bytes.age,
        isOnDisk: !bytes.endsStorage && (bytes.source == .disk || bytes.storedResponse != nil))
    }
  }

  /// Returns the head of the stored response about which the server of a fetch is asked, and the images of the fetch;
  /// the head is `nil` if there is none.
  func imagesOfCopy(
    _ id: FetchID
  ) -> (
    response: TransportResponse?,
    images: [(id: ProcessedImageID, request: ImageRequest, additionalIdentifier: String?)]
  ) {
    let images = loads.tree.images(of: id).compactMap { id in
      loads.tree[id].map { (id, $0.request, $0.additionalIdentifier) }
    }
    return (fetches.disk[id].copy?.storedResponse.response, images)
  }

  /// Returns true if a new image replaces all other sizes in the cache; see `StageTree.replacesOtherSizes`.
  mutating func replacesOtherSizes(_ id: ProcessedImageID, _ request: ImageRequest) -> Bool {
    loads.tree.replacesOtherSizes(id, request)
  }

  /// Delivers an image to the callers that have joined so far, after the cache, if there is one, was offered the image.
  /// Later requests are served by the cache.
  mutating func storeEnded(_ id: ProcessedImageID) -> [LoadAction] {
    guard let processedImage = loads.tree[id], case .storing(let image) = processedImage.phase,
      let decode = loads.tree[processedImage.decode], let fetch = loads.tree[decode.fetch],
      let bytes = decode.bytes
    else { return [] }
    var response = ImageResponse(
      image: image, source: fetch.request.isLocal ? .file : bytes.source, http: bytes.response,
      metrics: bytes.metrics, freshness: bytes.freshness, data: bytes.data)
    if fetches.disk[decode.fetch].isSettled { response.storing = bytes.storing }
    response.isFromPixelCache =
      bytes.images[processedImage.key] === image || bytes.firstFrames[processedImage.key] === image
    response.hasStoredFirstFrame = !response.isFromPixelCache && bytes.firstFrames[processedImage.key] != nil
    response.ageOnDisk = bytes.age
    if fetches.disk.isKept(decode.fetch), let pixels = MadePixels(image, processedImage, decode, fetch) {
      loads.actions.append(.storePixels(pixels))
    }
    finish([id], .success(response))
    return admitted()
  }

  // MARK: Ends

  /// Delivers an outcome to all callers of the images `ids`, in order of registration, and removes the images.
  private mutating func finish(_ ids: [ProcessedImageID], _ outcome: LoadOutcome) {
    let tasks = loads.tree.tasks(of: ids)
    // A fetch that replaces damaged bytes goes on for the remaining callers, unless all of them have paused.
    let healing = fetches.disk.isEnabled ? Set(tasks.compactMap { loads.tree.fetch(of: $0) }) : []
    loads.actions.append(.deliver(tasks, outcome))
    for task in tasks { _ = leave(task) }
    for id in ids { removeIfUnwanted(id) }
    for fetch in healing { fetches.holdOrRelease(fetch, in: &loads) }
  }

  /// Removes callers, which receive an error. All callers are removed before any stage, so that no stage has a caller
  /// to notify when it is removed.
  private mutating func fail(_ tasks: [TaskID], _ error: ImageError) {
    guard !tasks.isEmpty else { return }
    loads.actions.append(.deliver(tasks, .failure(error)))
    for processedImage in tasks.compactMap({ leave($0) }) { removeIfUnwanted(processedImage) }
  }

  /// Removes a caller. Returns the image for which the caller waited, which may now have no callers.
  private mutating func leave(_ task: TaskID) -> ProcessedImageID? {
    guard let (processedImage, change) = loads.tree.leave(task) else { return nil }
    apply(change)
    fetches.disk.noteChange()
    return processedImage
  }

  private mutating func removeIfUnwanted(_ id: ProcessedImageID) {
    guard let (decode, wasTransforming) = loads.tree.removeIfUnwanted(id) else { return }
    if wasTransforming { loads.actions.append(.cancelWork(number: id.number)) }
    removeIfUnwanted(decode)
  }

  private mutating func removeIfUnwanted(_ id: DecodeID) {
    guard let (fetch, wasRunning) = loads.tree.removeIfUnwanted(id) else { return }
    if wasRunning { loads.actions.append(.cancelWork(number: id.number)) }
    endPreviews(of: id)
    proceed(fetch, fetches.replaceDamage(fetch, in: &loads))
    fetches.removeIfUnwanted(fetch, in: &loads)
  }

  private mutating func endPreviews(of id: DecodeID) {
    for job in previews.end(of: id) { loads.actions.append(.cancelWork(number: job)) }
  }
}
