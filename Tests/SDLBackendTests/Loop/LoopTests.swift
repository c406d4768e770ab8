import FoundationEssentials
import Glibc
import Testing

/// The loop on the first thread of a process. Tests run on other threads, so a probe program runs it.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct LoopTests {
  @Test func mainQueueAndMainActorRunOnTheFirstThread() throws {
    let probe = try Probe(["offscreen", "wakes"])

    let lines = probe.linesToTheEnd()

    #expect(lines.contains("dispatch true"))
    #expect(lines.contains("task true"))
    #expect(lines.contains("slept true"))
    #expect(lines.last == "closed true", "SIGTERM ends the program cleanly")
    #expect(probe.exitStatus() == 0)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func signalWakesAndQuitsASleepingLoop(signal: Int32) throws {
    let probe = try Probe(["offscreen", "show"])
    #expect(probe.line() == "driver offscreen")
    #expect(probe.line() == "sleeping true")

    probe.send(signal)

    #expect(probe.linesToTheEnd().last == "closed true")
    #expect(probe.exitStatus() == 0)
  }

  @Test func silentProbeIsKilled() throws {
    let probe = try Probe(["offscreen", "show"])
    while let line = probe.line(), line != "sleeping true" {}

    #expect(probe.line(within: 0.2) == nil)

    #expect(probe.exitStatus() == -1)
  }

  @Test(arguments: ["offscreen", "dummy"])
  func idleLoopIsNotWoken(driver: String) throws {
    let probe = try Probe([driver, "idle", "0.5"])

    let lines = probe.linesToTheEnd()

    // The turn in which counting begins, and a second because libdispatch signals once more after each drain.
    #expect(lines.contains("turns 2"))
    #expect(lines.contains("idle_frames 0"))
    #expect(probe.exitStatus() == 0)
  }

  @Test(.needsOpenGL, arguments: ["opengles2", "opengl"])
  func idleLoopPresentsNothingWithOpenGL(renderer: String) throws {
    let probe = try Probe(["offscreen/\(renderer)", "idle", "0.5"])

    let lines = probe.linesToTheEnd()

    #expect(lines.contains("turns 2"))
    #expect(lines.contains("idle_frames 0"))
    #expect(lines.last == "closed true")
    #expect(probe.exitStatus() == 0)
  }

  @Test func missingScreenIsReported() throws {
    let probe = try Probe(["auto", "show"])

    let line = try #require(probe.line())

    #expect(line.hasPrefix("error no screen"))
    #expect(probe.exitStatus() == 1)
  }
}

/// A run of the probe program, whose output is read line by line.
private final class Probe {
  private let process: pid_t
  private let output: Int32
  private var pending: [UInt8] = []
  private var status: Int32?

  init(_ arguments: [String]) throws {
    // Tests and the probe are built into the same folder.
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let path = tests.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/SDLBackendProbe"
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_addclose(&actions, ends[1])
    // Threads of tests block signals; the probe must not inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var argv: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    argv.append(nil)
    // Without the display variables, results do not depend on the machine.
    var environment: [UnsafeMutablePointer<CChar>?] = [strdup("HOME=/tmp"), nil]
    defer { (argv + environment).forEach { free($0) } }
    var process: pid_t = 0
    let result = posix_spawn(&process, path, &actions, &attributes, &argv, &environment)
    close(ends[1])
    try #require(result == 0, "\(path) cannot be started")
    self.process = process
    output = ends[0]
  }

  isolated deinit {
    if status == nil {
      kill(process, SIGKILL)
      _ = exitStatus()
    }
    close(output)
  }

  func send(_ signal: Int32) { kill(process, signal) }

  /// The next line, or nil at the end of the output. A probe that writes nothing for `seconds` is killed, so that its
  /// test fails instead of hanging.
  func line(within seconds: Double = 60) -> String? {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
      if let end = pending.firstIndex(of: 10) {
        defer { pending.removeFirst(end + 1) }
        return String(decoding: pending[..<end], as: UTF8.self)
      }
      guard hasOutput(before: deadline) else {
        kill(process, SIGKILL)
        return nil
      }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(output, &bytes, bytes.count)
      guard count > 0 else { return nil }
      pending += bytes[..<count]
    }
  }

  /// Waits for output or its end. Returns false at the deadline, or if the test is cancelled.
  private func hasOutput(before deadline: ContinuousClock.Instant) -> Bool {
    while ContinuousClock.now < deadline, !Task.isCancelled {
      var state = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      if poll(&state, 1, 50) > 0 { return true }
    }
    return false
  }

  func linesToTheEnd() -> [String] {
    var lines: [String] = []
    while let line = line() { lines.append(line) }
    return lines
  }

  /// Waits for the process to end. Returns -1 if a signal ended it.
  func exitStatus() -> Int32 {
    if let status { return status }
    var raw: Int32 = 0
    waitpid(process, &raw, 0)
    let result = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : -1
    status = result
    return result
  }
}
