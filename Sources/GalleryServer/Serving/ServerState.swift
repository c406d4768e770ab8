import Synchronization

/// The state that the server's thread shares with the server's users.
final class ServerState: Sendable {
  let behaviour: Mutex<Behaviour>
  let isStopping = Atomic(false)
  let catalog: Catalog
  let log: RequestLog

  init(behaviour: Behaviour, catalog: Catalog, logBytes: Int = .max) {
    log = RequestLog(byteLimit: logBytes)
    self.behaviour = Mutex(behaviour)
    self.catalog = catalog
  }
}
