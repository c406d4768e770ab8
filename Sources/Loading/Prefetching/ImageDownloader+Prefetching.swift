import VitrineGraphics

/// Loads for nobody to see yet. What a prefetcher wants of a request holds whatever the configuration adds to it.
extension ImageDownloader {
  /// Brings a picture into memory.
  func prefetch(
    _ request: ImageRequest, additionalIdentifier: String?, completion: @escaping ImageTask.Completion
  ) -> ImageTask {
    let task = ImageTask(
      completedForAList(request), additionalIdentifier: additionalIdentifier, completion: completion)
    begin(task)
    return task
  }

  /// Brings the bytes of a picture onto the disk; whether they are there then.
  ///
  /// They are decoded all the same, as small as can be: what turns out to be no picture is not kept.
  func prefetchData(for request: ImageRequest) async -> Bool {
    if await containsCachedData(for: request) { return true }
    guard dataCache != nil, !Task.isCancelled else { return false }
    var request = completedForAList(request)
    request.cache = .diskOnly
    request.targetSize = DecodeTarget(width: 1, height: 1)
    request.transforms = []
    let task = ImageTask(request, additionalIdentifier: nil)
    begin(task)
    return await (try? task.response)?.isStored() ?? false
  }

  private func completedForAList(_ request: ImageRequest) -> ImageRequest {
    var completed = completedForNobodyToSee(request)
    completed.priority = min(completed.priority, request.priority)
    return completed
  }
}
