import FoundationEssentials
import Glibc
import VitrineConcurrency
import VitrineGraphics

/// The identities of the texts from which requests were made recently.
///
/// Parsing a URL takes several times as long as a memory hit, and a list's cell makes a request from a text each time
/// it is shown. Texts are compared byte by byte: `==` of strings ignores differences of Unicode normalization, which
/// are different bytes in a URL. Texts without a valid URL and long texts, such as `data:` URLs, are not kept.
///
/// May be used from any thread.
final class ParsedTexts: Sendable {
  /// The texts of all requests of the process.
  static let shared = ParsedTexts()

  fileprivate struct Entry {
    let text: String
    let hash: Int
    let identity: RequestIdentity
    /// True if the text was found since the entry was inserted or since an eviction spared it.
    var wasUsed = false
  }

  fileprivate struct State {
    var entries: [Entry] = []
    var indices = HashIndex()
    var byteCount = 0
    /// The index of the entry that the next eviction checks first.
    var hand = 0
  }

  /// The maximum number of texts.
  let countLimit: Int
  /// The maximum number of bytes of all texts.
  let byteLimit: Int
  /// The number of bytes above which a text is not kept.
  static let longestText = 1024

  private let state = Shared(State())

  init(countLimit: Int = 2048, byteLimit: Int = 256 << 10) {
    self.countLimit = countLimit
    self.byteLimit = byteLimit
  }

  /// Returns the identity that was inserted for a text with the same bytes.
  func identity(of text: String) -> RequestIdentity? {
    guard let hash = Self.hash(text) else { return nil }
    return state.withLock { state in
      let index = state.index(of: text, hash)
      guard index >= 0 else { return nil }
      state.entries[index].wasUsed = true
      return state.entries[index].identity
    }
  }

  /// Adds a text that was not found, and evicts other texts if there is no room.
  func insert(_ identity: RequestIdentity, for text: String) {
    guard countLimit > 0, let hash = Self.hash(text), text.utf8.count <= byteLimit else { return }
    // The identity has a text of its own, which has no excess capacity and is kept in memory anyway.
    let isSame = Self.isSame(identity.url, text)
    let entry = Entry(
      text: isSame ? identity.url : String(decoding: Array(text.utf8), as: UTF8.self), hash: hash,
      identity: identity)
    state.releaseAfterLock { state in
      // Another thread may have inserted the text meanwhile.
      guard state.index(of: text, hash) < 0 else { return [] }
      var evicted: [Entry] = []
      while state.entries.count == countLimit || state.byteCount + text.utf8.count > byteLimit {
        evicted.append(state.evict())
      }
      state.indices.insert(state.entries.count, hash: hash)
      state.entries.append(entry)
      state.byteCount += text.utf8.count
      return evicted
    }
  }

  /// The number of texts, and of their bytes.
  var usage: (count: Int, bytes: Int) { state.withLock { ($0.entries.count, $0.byteCount) } }

  private func removeAll() {
    state.releaseAfterLock { state in
      let old = state
      state = State()
      return old
    }
  }

  /// Returns a hash of the bytes; nil for a text that is not kept. Chosen for speed: texts with equal hashes only have
  /// to be compared.
  private static func hash(_ text: String) -> Int? {
    text.utf8.withContiguousStorageIfAvailable { bytes -> Int? in
      guard bytes.count <= longestText else { return nil }
      let bytes = UnsafeRawBufferPointer(bytes)
      let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
      var hash = UInt64(truncatingIfNeeded: bytes.count) &* factor
      var offset = 0
      while offset + 8 <= bytes.count {
        hash = (hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* factor
        hash ^= hash >> 32
        offset += 8
      }
      while offset < bytes.count {
        hash = (hash ^ UInt64(bytes[offset])) &* factor
        offset += 1
      }
      return Int(truncatingIfNeeded: hash ^ hash >> 32)
    } ?? nil
  }

  fileprivate static func isSame(_ a: String, _ b: String) -> Bool {
    a.utf8.withContiguousStorageIfAvailable { a in
      b.utf8.withContiguousStorageIfAvailable { b in
        guard a.count == b.count else { return false }
        guard let first = a.baseAddress, let second = b.baseAddress else { return true }
        return memcmp(first, second, a.count) == 0
      } ?? false
    } ?? false
  }
}

extension ParsedTexts: MemoryHolder {
  func count(against ledger: MemoryLedger) { ledger.register(self, as: .cache) }

  /// Does nothing: the ledger counts pixels and bodies, not texts.
  func release(bytes: Int) {}

  func handlePressure(_ pressure: MemoryPressure) { if pressure == .critical { removeAll() } }
}

extension ParsedTexts.State {
  func index(of text: String, _ hash: Int) -> Int {
    indices.entry(hash) { entries[$0].hash == hash && ParsedTexts.isSame(entries[$0].text, text) }
  }

  /// Removes and returns the entry that was inserted first, but spares each entry once that was used (second chance).
  mutating func evict() -> ParsedTexts.Entry {
    while true {
      if hand >= entries.count { hand = 0 }
      guard entries[hand].wasUsed else { break }
      entries[hand].wasUsed = false
      hand += 1
    }
    // The last entry takes the place of the removed one.
    let last = entries.count - 1
    let removed = entries[hand]
    indices.remove(hand, hash: removed.hash)
    if hand != last {
      indices.replace(last, with: hand, hash: entries[last].hash)
      entries[hand] = entries[last]
    }
    entries.removeLast()
    byteCount -= removed.text.utf8.count
    hand += 1
    return removed
  }
}
