/// The work to be done without the lock after an input of `LoadState`.
struct LoadWork {
  var actions: [LoadAction] = []
  var releasedDecoders: [ReservedDecoder] = []
  var releasedTasks: [ImageTask] = []
  /// The attempts to stop.
  var givenUp: [FetchID: FetchReceiver] = [:]
}
