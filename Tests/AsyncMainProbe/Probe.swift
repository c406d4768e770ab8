import Glibc
import Vitrine

/// A program with an asynchronous `main`, which leaves the process's first thread after an `await`. Prints the result
/// of opening or running a window there, or of many calls of `bootstrap`.
@main
struct Probe {
  static func main() async {
    var configuration = Application.Configuration()
    configuration.host.videoDriver = "offscreen"
    configuration.dataCache = nil
    do {
      switch CommandLine.arguments.dropFirst().first {
      case "bootstrap":
        let first = bootstrap(dataCache: nil)
        let before = threadCount
        DiagnosticLog.handler = { message in
          // A handler may call `bootstrap` itself.
          bootstrap(dataCache: nil)
          print("log: \(message)")
        }
        var others = 0
        for number in 0..<200 {
          // A program may call `bootstrap` for each request, each time with a new configuration.
          var configuration = ImageDownloader.Configuration()
          configuration.queue.maximumActiveDownloads = 1 + number % 7
          if bootstrap(downloader: configuration, dataCache: nil) !== first { others += 1 }
        }
        print("others: \(others), threads: \(threadCount - before)")
        await first.shutDown()
        let second = bootstrap(dataCache: nil)
        print("after shutDown: \(second !== first && second === ImageDownloader.shared)")
      case "run":
        let application = try Application(configuration: configuration)
        await Task.yield()
        application.run()
        print("failure: \(application.host.failure.map { "\($0)" } ?? "none")")
      default:
        await Task.yield()
        _ = try Application(configuration: configuration)
        print("opened")
      }
    } catch {
      print("error: \(error)")
    }
  }

  /// The number of threads of this process, counted by the kernel.
  private static var threadCount: Int {
    guard let folder = opendir("/proc/self/task") else { return 0 }
    defer { closedir(folder) }
    var count = -2  // excludes "." and ".."
    while readdir(folder) != nil { count += 1 }
    return count
  }
}
