/// The work to be done without the lock after an input of `LoadState`.
struct LoadWork {
  var actions: [LoadAction] = []
  var releasedDecoders: [ReservedDecoder] = []
  var releasedTasks: [ImageTask] = []
  /// Objects of the application that removed stages have held.
  var releasedObjects: [any Sendable] = []
  /// The attempts to stop.
  var givenUp: [FetchID: FetchReceiver] = [:]
  /// The tasks that receive an image or a result, for each `.showMeanwhile` and `.deliver` in the order of the actions.
  var receivers: [[ImageTask]] = []
  /// The decodes for whose images the first frame after a start waits.
  var awaitedDecodes: Set<DecodeID> = []
}
