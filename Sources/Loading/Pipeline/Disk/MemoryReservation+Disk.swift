import VitrineGraphics

extension MemoryReservation {
  /// Reserves `total` bytes in all, evicting cached memory first. Exceeds the budget if that does not suffice, because
  /// the image may be on disk alone. No lock may be held.
  func reserveForDisk(_ total: Int) {
    let missing = total - bytes
    guard missing > 0 else { return resize(to: total) }
    if reserve(missing, force: false) { return }
    evict(toFit: missing)
    _ = reserve(missing, force: true)
  }
}
