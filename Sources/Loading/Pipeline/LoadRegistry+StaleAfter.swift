import VitrineConcurrency
import VitrineGraphics

// Servers that do not answer in time: callers get the stored response while the request goes on.

/// The times at which callers stop waiting for a server and get the stored response. Times are in nanoseconds.
struct CopyDeadlines {
  private var deadlines: [FetchID: Int64] = [:]
  private var nextWake: Int64?

  /// Adds a deadline. Returns the time at which to call `takeDue`, unless an earlier call is scheduled.
  mutating func add(_ id: FetchID, at time: Int64) -> Int64? {
    deadlines[id] = min(deadlines[id] ?? .max, time)
    guard time < nextWake ?? .max else { return nil }
    nextWake = time
    return time
  }

  /// Returns the fetches whose deadline has passed, in the order of their start, and the time of the next call.
  mutating func takeDue(at now: Int64) -> (due: [FetchID], next: Int64?) {
    let due = deadlines.filter { $0.value <= now }.keys.sorted()
    for id in due { deadlines[id] = nil }
    nextWake = deadlines.values.min()
    return (due, nextWake)
  }
}

extension LoadRegistry {
  /// True if only probes wait for a fetch.
  func isProbe(_ id: FetchID) -> Bool {
    let tasks = tasks(of: id)
    return !tasks.isEmpty && tasks.allSatisfy { waiters[$0]?.isProbe == true }
  }

  /// Sets the deadline after which the callers of a fetch get the stored response, if that may be shown.
  mutating func limitWaiting(_ id: FetchID) {
    // Not a number counts as 0.
    let wait = staleAfter > 0 ? staleAfter : 0
    guard wait < 1e9, mayServeCopy(id) else { return }
    let deadline = fetches[id]?.disk.copyDeadline ?? now.advanced(bySeconds: wait)
    fetches[id]?.disk.copyDeadline = deadline
    // A caller that joins after the deadline does not wait for another full period.
    if let wake = copyDeadlines.add(id, at: max(now, deadline)) { actions.append(.wake(at: wake)) }
  }

  /// True if callers wait for the server although the stored response may be shown.
  func mayServeCopy(_ id: FetchID) -> Bool {
    guard let fetch = fetches[id], fetch.disk.copy?.mayShowOnError == true else { return false }
    switch fetch.phase {
    case .idle, .running: return tasks(of: id).contains { waiters[$0]?.takesCopy == true }
    case .lookingUp, .received: return false
    }
  }

  /// Returns the fetches whose callers are to be served by `serveCopy`.
  mutating func overdueCopies() -> [FetchID] {
    let (due, next) = copyDeadlines.takeDue(at: now)
    if let next { actions.append(.wake(at: next)) }
    return due.filter { mayServeCopy($0) }
  }

  /// Returns the images that the callers of a fetch wait for. Probes load these images after the callers got the stored
  /// response.
  func imagesAwaited(from id: FetchID) -> [(request: ImageRequest, additionalIdentifier: String?)] {
    (fetches[id]?.decodes ?? []).flatMap { decodes[$0]?.processedImages ?? [] }.sorted().compactMap { id in
      guard let processedImage = processedImages[id],
        processedImage.waiters.contains(where: { waiters[$0]?.takesCopy == true })
      else { return nil }
      return (processedImage.request, processedImage.additionalIdentifier)
    }
  }

  /// Moves the callers of a fetch to a new fetch that decodes the stored response. The original fetch goes on for the
  /// remaining tasks, and is cancelled if there are none.
  mutating func serveCopy(of id: FetchID) -> (served: [TaskID], actions: [LoadAction]) {
    guard mayServeCopy(id), let fetch = fetches[id], let copy = fetch.disk.copy else { return ([], taken()) }
    let served = tasks(of: id).filter { waiters[$0]?.takesCopy == true }
    var request = fetch.request
    request.cachePolicy = .cacheOnly
    let stored = makeFetch(fetch.key, request, fetch.lane)
    // The server's response is newer than the stored one, even if it is decoded earlier.
    fetches[stored]?.overtaken = fetch.overtaken
    fetches[id]?.overtaken = stored
    for task in served { move(task, to: stored) }
    copies.noteChange()
    received(copy.staleBytes(), stored)
    reserveOrRelease(id)
    return (served, admitted())
  }

  /// Moves a caller to the corresponding image of another fetch.
  private mutating func move(_ task: TaskID, to fetch: FetchID) {
    guard let waiter = waiters[task], let processedImage = processedImages[waiter.processedImage],
      let decode = decodes[processedImage.decode]
    else { return }
    let newDecode = decodeIDs[Branch(stage: fetch, key: decode.key)] ?? makeDecode(decode.key, fetch)
    let newProcessedImage =
      processedImageIDs[Branch(stage: newDecode, key: processedImage.key)]
      ?? makeProcessedImage(
        processedImage.key, newDecode, processedImage.request, processedImage.additionalIdentifier)
    processedImages[waiter.processedImage]?.waiters.remove(task)
    replaceDemand(of: waiter.processedImage, waiter.demand, with: nil)
    waiters[task]?.processedImage = newProcessedImage
    processedImages[newProcessedImage]?.waiters.insert(task)
    replaceDemand(of: newProcessedImage, nil, with: waiter.demand)
    removeIfUnwanted(waiter.processedImage)
  }
}
