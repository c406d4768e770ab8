import VitrineLoading

/// Chooses the incomplete responses to remove.
struct IncompleteTrim {
  /// The maximum number of bytes that incomplete responses take on disk.
  static let maximumBytes = 32 << 20
  /// The age in seconds at which an incomplete response is removed.
  static let maximumAge: Int64 = 7 * 86400

  /// The number of bytes that incomplete responses may take on disk.
  let budget: Int
  /// The current time in seconds since 1970, by a clock that may be wrong.
  let time: Int64

  /// - Parameter limits: The limits of the cache, a quarter of which incomplete responses may use in addition.
  init(limits: DiskImageCache.Limits, time: Int64) {
    budget = min(Self.maximumBytes, max(0, limits.bytes) / 4)
    self.time = time
  }

  /// Returns true for a response that is too old. The age is unknown if the date is in the future or before
  /// `FileTimes.earliestTime`: a device without a battery starts in 1970, and its clock is set later. Such a response
  /// stays until others need its space.
  func isTooOld(_ stored: Int64) -> Bool {
    stored >= FileTimes.earliestTime && time - stored > Self.maximumAge
  }

  /// Returns the responses to remove before another one is stored: those that are too old, then the oldest.
  ///
  /// - Parameters:
  ///   - bytes: The number of bytes that the new response takes on disk.
  ///   - name: The name of the new response, whose file is replaced.
  func victims(
    of entries: [DiskTrim.Entry], toFit bytes: Int = 0, replacing name: ContentHash? = nil
  ) -> [DiskTrim.Entry] {
    let others = entries.filter { $0.name != name }.sorted { $0.stored < $1.stored }
    var victims = others.filter { isTooOld($0.stored) }
    let remaining = others.filter { !isTooOld($0.stored) }
    var total = remaining.bytes(with: bytes)
    for entry in remaining where total > budget {
      victims.append(entry)
      total = total.subtractingSaturated(entry.bytes)
    }
    return victims
  }
}
