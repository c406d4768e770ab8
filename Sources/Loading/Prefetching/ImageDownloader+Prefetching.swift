import VitrineGraphics

/// Loads for an `ImagePrefetcher`, whose choices take precedence over the changes of the configuration.
extension ImageDownloader {
  /// Loads an image into memory.
  func prefetch(
    _ request: ImageRequest, additionalIdentifier: String?, completion: @escaping ImageTask.Completion
  ) -> ImageTask {
    let task = ImageTask(
      completedForPrefetch(request), additionalIdentifier: additionalIdentifier, completion: completion)
    begin(task)
    return task
  }

  /// Loads the bytes of an image onto disk. Returns true if the bytes are on disk afterwards.
  ///
  /// The bytes are decoded at the smallest size, because bytes that are not an image are not stored.
  func prefetchData(for request: ImageRequest) async -> Result<Bool, ImageError> {
    if await containsCachedData(for: request) { return .success(true) }
    guard dataCache != nil, !Task.isCancelled else { return .success(false) }
    var request = completedForPrefetch(request)
    request.cache = .diskOnly
    request.targetSize = DecodeTarget(width: 1, height: 1)
    request.transforms = []
    let task = ImageTask(request, additionalIdentifier: nil)
    begin(task)
    do throws(ImageError) {
      return .success(await (try task.response).isStored())
    } catch {
      return .failure(error)
    }
  }

  private func completedForPrefetch(_ request: ImageRequest) -> ImageRequest {
    var completed = completedWithoutSlot(request)
    completed.priority = min(completed.priority, request.priority)
    return completed
  }
}
