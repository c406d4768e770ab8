import CCurl
import Glibc

/// A libcurl share: the data that easy handles have in common beyond their multi handle, which are TLS sessions and the
/// cookies of a jar.
///
/// `@unchecked Sendable` because libcurl locks `mutexes` around each access to shared data, and the stored properties
/// never change.
final class ShareHandle: @unchecked Sendable {
  /// The share; `nil` if memory was exhausted, so that easy handles share nothing.
  let pointer: UnsafeMutableRawPointer?
  let hasCookies: Bool
  /// One mutex for each kind of data, because libcurl may lock several kinds at once.
  private let mutexes: UnsafeMutablePointer<pthread_mutex_t>
  private static let kindCount = Int(CURL_LOCK_DATA_LAST.rawValue)

  init(_ data: [curl_lock_data]) {
    hasCookies = data.contains(CURL_LOCK_DATA_COOKIE)
    mutexes = .allocate(capacity: Self.kindCount)
    for kind in 0..<Self.kindCount { pthread_mutex_init(mutexes + kind, nil) }
    pointer = curl_share_init()
    guard let pointer else { return }
    // The mutexes outlive the share: `deinit` frees the share first.
    _ = vitrine_curl_share_set_pointer(pointer, CURLSHOPT_USERDATA, mutexes)
    _ = vitrine_curl_share_set_lock(pointer, CURLSHOPT_LOCKFUNC) { _, kind, _, mutexes in
      pthread_mutex_lock(ShareHandle.mutex(mutexes, kind))
    }
    _ = vitrine_curl_share_set_unlock(pointer, CURLSHOPT_UNLOCKFUNC) { _, kind, mutexes in
      pthread_mutex_unlock(ShareHandle.mutex(mutexes, kind))
    }
    for kind in data { _ = vitrine_curl_share_set_long(pointer, CURLSHOPT_SHARE, Int32(kind.rawValue)) }
  }

  deinit {
    if let pointer { curl_share_cleanup(pointer) }
    for kind in 0..<Self.kindCount { pthread_mutex_destroy(mutexes + kind) }
    mutexes.deallocate()
  }

  private static func mutex(
    _ mutexes: UnsafeMutableRawPointer?, _ kind: curl_lock_data
  ) -> UnsafeMutablePointer<pthread_mutex_t>! {
    mutexes?.assumingMemoryBound(to: pthread_mutex_t.self).advanced(by: Int(kind.rawValue))
  }
}
