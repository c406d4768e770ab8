import CSDL
import Glibc

/// Relays the connection between SDL and a compositor without a seat while SDL reads the list of the compositor's
/// objects. Afterwards the relay is removed: SDL's socket is then connected directly to the compositor.
nonisolated final class SeatRelay {
  private let compositor: Int32
  private let client: Int32
  private let stop: Int32
  private var thread = pthread_t()

  /// Starts the relay. Returns `nil` if no relay is needed: SDL is 2.30 or later, the compositor has a seat, or there
  /// is no compositor.
  init?() {
    var version = SDL_version()
    SDL_GetVersion(&version)
    guard version.major == 2, version.minor < 30, getenv("WAYLAND_SOCKET") == nil,
      let path = WaylandSocket.path, WaylandSocket.hasSeat(at: path) == false,
      let compositor = WaylandSocket.connect(to: path)
    else { return nil }

    var ends: [Int32] = [-1, -1]
    var stops: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0, pipe(&stops) == 0 else { return nil }
    for descriptor in ends + stops { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    self.compositor = compositor
    client = ends[0]
    stop = stops[1]
    let work = Work(client: ends[1], compositor: compositor, stop: stops[0])
    let argument = Unmanaged.passRetained(work)
    let code = pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<Work>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, argument.toOpaque())
    guard code == 0 else {
      argument.release()
      for descriptor in ends + stops + [compositor] { close(descriptor) }
      return nil
    }
    // libwayland uses this socket instead of the path, and removes the variable.
    setenv("WAYLAND_SOCKET", String(client), 1)
  }

  /// Ends the relay. Must be called after SDL was started or failed to start.
  func finish(isConnected: Bool) {
    close(stop)
    pthread_join(thread, nil)
    if isConnected {
      // SDL must read everything that has arrived before its socket is replaced.
      var waiting: Int32 = 0
      for _ in 0..<100 where ioctl(client, UInt(FIONREAD), &waiting) == 0 && waiting > 0 { SDL_PumpEvents() }
      dup2(compositor, client)
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
    } else if getenv("WAYLAND_SOCKET") != nil {
      unsetenv("WAYLAND_SOCKET")
      close(client)
    }
    close(compositor)
  }

  /// The relay's work. Only the relay's thread uses it.
  private final class Work {
    private let client, compositor, stop: Int32
    private var standIn = SeatStandIn()
    private var fromClient = WaylandBuffer()
    private var fromCompositor = WaylandBuffer()

    init(client: Int32, compositor: Int32, stop: Int32) {
      self.client = client
      self.compositor = compositor
      self.stop = stop
    }

    func run() {
      var descriptors = [client, compositor, stop].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      var isOpen = true
      while isOpen, descriptors[2].revents == 0 {
        guard poll(&descriptors, 3, -1) >= 0 || errno == EINTR else { break }
        if descriptors[0].revents != 0 { isOpen = relayFromClient() }
        if isOpen, descriptors[1].revents != 0 { isOpen = relayFromCompositor() }
      }
      // SDL has started. Its messages so far have arrived, and further messages need no changes.
      _ = relayFromClient()
      send(fromClient.unreadBytes, [], to: compositor)
      send(fromCompositor.unreadBytes, [], to: client)
      close(client)
      close(stop)
    }

    /// Relays messages from SDL. Returns false after SDL has closed the connection.
    private func relayFromClient() -> Bool {
      relay(from: client, into: &fromClient) { standIn.client(sends: $0) }
    }

    private func relayFromCompositor() -> Bool {
      relay(from: compositor, into: &fromCompositor) { standIn.compositor(sends: $0) }
    }

    private func relay(
      from socket: Int32, into buffer: inout WaylandBuffer,
      through filter: (WaylandMessage) -> SeatStandIn.Messages
    ) -> Bool {
      var bytes = [UInt8](repeating: 0, count: 65536)
      var passedDescriptors = [Int32](repeating: -1, count: 28)
      var count = 0
      let received = vitrine_receive(socket, &bytes, bytes.count, &passedDescriptors, &count)
      guard received > 0 else { return received < 0 && (errno == EAGAIN || errno == EINTR) }
      buffer.append(bytes[..<received])
      var toCompositor: [UInt8] = []
      var toClient: [UInt8] = []
      while let message = buffer.next() {
        let messages = filter(message)
        for message in messages.toCompositor { toCompositor += message.bytes }
        for message in messages.toClient { toClient += message.bytes }
      }
      let isFromClient = socket == client
      let descriptors = Array(passedDescriptors[..<count])
      send(toCompositor, isFromClient ? descriptors : [], to: compositor)
      send(toClient, isFromClient ? [] : descriptors, to: client)
      for descriptor in descriptors { close(descriptor) }
      return true
    }

    private func send(_ bytes: [UInt8], _ descriptors: [Int32], to socket: Int32) {
      var remaining = bytes[...]
      var descriptors = descriptors
      while !remaining.isEmpty {
        let sent = remaining.withUnsafeBytes {
          vitrine_send(socket, $0.baseAddress, $0.count, &descriptors, descriptors.count)
        }
        if sent < 0, errno == EINTR { continue }
        guard sent > 0 else { return }
        remaining = remaining.dropFirst(sent)
        descriptors = []
      }
    }
  }
}
