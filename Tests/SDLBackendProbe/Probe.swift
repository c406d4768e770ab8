import Dispatch
import Glibc
import VitrineGraphics
import VitrineSDLBackend
import VitrineWidgets

/// A program for the tests of the loop. The first argument is a video driver, optionally with a renderer
/// (`x11/opengl`); the second is a command. Prints results as lines of a word and a value.
@main
struct Probe {
  static func main() throws {
    _ = Thread.isFirst
    let arguments = CommandLine.arguments
    var configuration = SDLHost.Configuration()
    configuration.size = Size(width: 640, height: 400)
    let names = (arguments.dropFirst().first ?? "auto").split(separator: "/").map(String.init)
    configuration.videoDriver = names[0] == "auto" ? nil : names[0]
    configuration.renderer = names.dropFirst().first.flatMap { .init(rawValue: $0) } ?? .auto
    let host: SDLHost
    do {
      host = try SDLHost(configuration: configuration)
    } catch {
      report("error", error.description)
      exit(1)
    }
    let scene = Scene(host: host)
    var idleSeconds: Double?
    switch arguments.dropFirst(2).first ?? "show" {
    case "idle": idleSeconds = Double(arguments[3]) ?? 1
    case "wakes": scene.wakes()
    case "show": break
    case "shot": scene.shoot(path: arguments[3])
    default: exit(2)
    }
    report("driver", host.videoDriver)
    while host.window.isDirty { host.turn() }
    report("sleeping", true)
    // Starts counting after the first frame, which may take long on a busy machine.
    if let idleSeconds { scene.idle(seconds: idleSeconds) }
    host.run()
    report("frames", host.frameStatistics.presented)
    host.close()
    report("closed", true)
  }
}
