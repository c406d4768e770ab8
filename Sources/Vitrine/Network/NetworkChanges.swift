/// Parses the kernel's messages about network interfaces (rtnetlink(7)) and detects when the machine has joined a
/// network.
nonisolated struct NetworkChanges {
  // Constants of linux/rtnetlink.h, linux/if_addr.h and linux/if.h, which the Glibc module does not have.
  private static let newLink = 16
  private static let deletedLink = 17
  private static let newAddress = 20
  private static let deletedAddress = 21
  /// IFA_ADDRESS and IFA_LOCAL: the attributes that identify an address. Other attributes, such as the lifetime,
  /// change.
  private static let names: Set<UInt16> = [1, 2]
  private static let header = 16
  private static let loopback: UInt32 = 0x8
  /// IFF_UP, IFF_RUNNING and IFF_LOWER_UP: switched on, operational, and with a carrier (a cable or a radio link).
  private static let connected: UInt32 = 0x1 | 0x40 | 0x10000
  /// RT_SCOPE_LINK. Addresses of this scope, or of a narrower one, do not lead to other networks.
  private static let linkScope: UInt8 = 253

  /// Indices of the interfaces that are known to be connected.
  private var connectedLinks: Set<UInt32> = []
  /// The known addresses, each with an interface index. The kernel reports an address again with each renewal.
  private var addresses: Set<[UInt8]> = []

  /// Reads the messages of one `recv`. Returns true if there is a network that was not there before. Malformed messages
  /// are skipped.
  mutating func read(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var hasCome = false
    var rest = bytes[...]
    while rest.count >= Self.header {
      let message = UnsafeRawBufferPointer(rebasing: rest)
      let length = Int(clamping: message.loadUnaligned(as: UInt32.self))
      guard length >= Self.header, length <= message.count else { break }
      let kind = Int(message.loadUnaligned(fromByteOffset: 4, as: UInt16.self))
      let body = UnsafeRawBufferPointer(rebasing: message[Self.header..<length])
      if understand(kind, body) { hasCome = true }
      // Messages are aligned to four bytes.
      rest = rest.dropFirst(min(rest.count, (length + 3) & ~3))
    }
    return hasCome
  }

  private mutating func understand(_ kind: Int, _ body: UnsafeRawBufferPointer) -> Bool {
    switch kind {
    case Self.newAddress where body.count >= 8 && body[3] < Self.linkScope:
      addresses.insert(Self.address(body)).inserted
    case Self.deletedAddress where body.count >= 8: forget(Self.address(body))
    case Self.newLink where body.count >= 16:
      linkChanged(
        body.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
        flags: body.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    case Self.deletedLink where body.count >= 8:
      linkChanged(body.loadUnaligned(fromByteOffset: 4, as: UInt32.self), flags: 0)
    default: false
    }
  }

  private mutating func forget(_ address: [UInt8]) -> Bool {
    addresses.remove(address)
    return false
  }

  /// The address family, the interface index and the identifying attributes of an address message.
  private static func address(_ body: UnsafeRawBufferPointer) -> [UInt8] {
    var address = [body[0]] + body[4..<8]
    var rest = body[8...]
    while rest.count >= 4 {
      let attribute = UnsafeRawBufferPointer(rebasing: rest)
      let length = Int(attribute.loadUnaligned(as: UInt16.self))
      guard length >= 4, length <= attribute.count else { break }
      if names.contains(attribute.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) {
        address += attribute[2..<length]
      }
      rest = rest.dropFirst(min(rest.count, (length + 3) & ~3))
    }
    return address
  }

  private mutating func linkChanged(_ index: UInt32, flags: UInt32) -> Bool {
    guard flags & Self.loopback == 0, flags & Self.connected == Self.connected else {
      connectedLinks.remove(index)
      return false
    }
    return connectedLinks.insert(index).inserted
  }
}
