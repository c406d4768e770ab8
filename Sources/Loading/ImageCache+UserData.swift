import VitrineGraphics

extension ImageCache {
  /// Returns the user data of the image in memory or, if that image is missing or has no user data, of the entry on
  /// disk. Returns an empty dictionary if neither has user data.
  public func userData(
    for source: some ImageRequestConvertible, additionalIdentifier: String? = nil, in tiers: Tiers = .all
  ) async -> [String: [UInt8]] {
    guard let request = try? downloader.completed(source.asImageRequest()) else { return [:] }
    if tiers.includesMemory,
      let image = request.cache(default: downloader.cache)?
        .image(for: request, additionalIdentifier: additionalIdentifier), !image.userData.isEmpty
    {
      return image.userData
    }
    guard tiers.includesDisk, let identity = request.storedIdentity(additionalIdentifier) else { return [:] }
    let diskIdentity = engine.transports.onDisk(identity)
    return await engine.diskWriter.access(.look(diskIdentity)) {
      $0.response(for: diskIdentity)?.userData ?? [:]
    } ?? [:]
  }

  /// Replaces the user data of an image in memory and of the entry on disk. Returns true if an image or an entry was
  /// updated.
  ///
  /// As with extended attributes, each value has a name. An empty dictionary removes all values. The entry on disk
  /// keeps its user data until a server sends another image.
  @discardableResult
  public func setUserData(
    _ userData: [String: [UInt8]], for source: some ImageRequestConvertible,
    additionalIdentifier: String? = nil
  ) async -> Bool {
    guard let request = try? downloader.completed(source.asImageRequest()) else { return false }
    let memory = request.cache(default: downloader.cache)
    let image = memory?.image(for: request, additionalIdentifier: additionalIdentifier)
    if let image {
      memory?.insert(image.withUserData(userData), for: request, additionalIdentifier: additionalIdentifier)
    }
    guard let identity = request.storedIdentity(additionalIdentifier) else { return image != nil }
    let diskIdentity = engine.transports.onDisk(identity)
    let isOnDisk = await engine.diskWriter.access(.look(diskIdentity)) { cache in
      guard var response = cache.response(for: diskIdentity) else { return false }
      response.userData = userData
      return cache.store(response, for: diskIdentity)
    }
    return image != nil || isOnDisk == true
  }
}
