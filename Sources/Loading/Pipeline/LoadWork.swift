/// The work to be done without the lock after an input of `LoadState`.
struct LoadWork {
  var actions: [LoadAction] = []
  var releasedDecoders: [ReservedDecoder] = []
  var releasedTasks: [ImageTask] = []
  /// Objects of the application that removed stages have held.
  var releasedObjects: [any Sendable] = []
  /// The attempts to stop.
  var givenUp: [FetchID: FetchReceiver] = [:]
}
