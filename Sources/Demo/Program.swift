import FoundationEssentials
import Glibc
import HeapLimits
import Vitrine

/// The program `vitrine`. `main` is synchronous, because with `async main` the main actor would leave the first thread.
@main
struct Program {
  static func main() {
    StandardDescriptors.openClosed()
    limit_heap()
    unblockSignals()
    HangupSignal.block()
    // A message must not end the program after the reader of its output has ended, for example a logger in a pipe.
    signal(SIGPIPE, SIG_IGN)
    exit(run(Array(CommandLine.arguments.dropFirst())))
  }

  /// Unblocks SIGINT and SIGTERM, so that Ctrl-C and SIGTERM quit the program. A child process inherits the blocked
  /// signals of its parent, for example of a program that starts `vitrine` from a dispatch queue.
  private static func unblockSignals() {
    var signals = Signals.set(of: [SIGINT, SIGTERM])
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Runs the program and returns the exit code: 0 for success, 1 if the program could not go on, 2 for wrong use.
  private static func run(_ arguments: [String]) -> Int32 {
    do {
      if let options = try ToolOptions(arguments: arguments) { return Tools.run(options) }
      let slideshow = try SlideshowOptions(arguments: arguments)
      let options = try slideshow?.run ?? Options(arguments: arguments)
      if options.showsHelp { return Tools.show(slideshow == nil ? Help.text : SlideshowHelp.text) }
      if options.showsVersion { return Tools.show("vitrine \(Help.version)") }
      return try start(options, slideshow)
    } catch let error as Options.UsageError {
      logMessage(error.message)
      return 2
    } catch SDLHostError.noScreen {
      logMessage(
        "no screen: neither X11 nor Wayland nor a connected display; use --video offscreen to run without one"
      )
    } catch {
      logMessage("\(error)")
    }
    return 1
  }

  private static func start(_ options: Options, _ slideshow: SlideshowOptions?) throws -> Int32 {
    let assets = Assets.folder
    let script = try options.script.map(readScript)
    let gallery = try Gallery(assets: assets, latency: options.latency)
    defer { gallery.stop() }
    let feed = try options.feed.map { try Feed($0) } ?? gallery.feed

    var configuration = Application.Configuration()
    configuration.host.title = "Vitrine"
    configuration.host.size = options.size
    configuration.host.isFullScreen = options.isFullScreen
    configuration.host.scale = options.scale
    configuration.host.rotation = options.rotation
    configuration.host.videoDriver = options.video
    if options.trace != nil { configuration.downloader.environment.trace = Trace(capacity: Demo.longTrace) }
    configuration.host.renderer = options.renderer
    configuration.dataCache = disk(options)
    configuration.pixelCache = pixels(options)
    if let wait = options.firstFrameWait { configuration.firstFrameWait = wait / 1000 }
    // The embedded server has another port but the same images in each run.
    configuration.downloader.requests.keyFilter = gallery.withoutPort
    let application = try Application(configuration: configuration)
    application.downloader.isOffline = options.isOffline
    logMessage("video \(application.host.videoDriver), renderer \(application.host.rendererName)")
    for warning in application.host.warnings { logMessage(warning) }

    let demo = Demo(
      application: application, options: options, slideshow: slideshow, gallery: gallery, feed: feed,
      script: script, assets: assets, logMessage: logMessage)
    let code = demo.run()
    if let problem = demo.problem { logMessage(problem) }
    reportFaults(of: configuration, logMessage)
    return code
  }

  private static func disk(_ options: Options) -> (any ImageDataCache)? {
    let writable =
      options.hasDiskCache
      ? options.cache.map { DiskImageCache(directory: $0) } ?? DiskImageCache.shared : nil
    guard !options.seeds.isEmpty else { return writable }
    let seeds = options.seeds.map { DiskImageCache(seed: $0) }
    return LayeredImageCache(layers: (writable.map { [$0] } ?? []) + seeds)
  }

  /// Says why images were not stored or not found on disk.
  private static func reportFaults(
    of configuration: Application.Configuration, _ logMessage: (String) -> Void
  ) {
    let faults = layers(of: configuration.dataCache).compactMap { layer -> String? in
      guard let fault = layer.fault else {
        return layer.isReadOnly && layer.isMissing ? "there is no seed in \(layer.directory)" : nil
      }
      return layer.isReadOnly ? "the seed is not used: \(fault)" : "nothing is kept on disk: \(fault)"
    }
    for fault in faults { logMessage(fault) }
    // The folder of the pixels is in that of the responses, so that its fault is often the same.
    if faults.isEmpty, let fault = configuration.pixelCache?.fault {
      logMessage("no pixels are kept on disk: \(fault)")
    }
  }

  private static func layers(of cache: (any ImageDataCache)?) -> [DiskImageCache] {
    if let disk = cache as? DiskImageCache { return [disk] }
    return (cache as? LayeredImageCache)?.layers.compactMap { $0 as? DiskImageCache } ?? []
  }

  /// Returns the upper pixel cache: the writable one, or that of the first seed if nothing is stored on disk.
  private static func pixels(_ options: Options) -> DiskPixelCache? {
    guard options.hasDiskCache else { return options.seeds.first.map { DiskPixelCache(seed: $0) } }
    return options.cache.map { DiskPixelCache(directory: $0) } ?? DiskPixelCache.shared
  }

  private static func readScript(_ file: String) throws -> Script {
    guard let data = FileManager.default.contents(atPath: file),
      let text = String(validating: data, as: UTF8.self)
    else { throw DemoError(message: "cannot read the script \(file)") }
    do {
      return try Script(text)
    } catch {
      throw Options.UsageError(message: "\(file), line \(error.line): \(error.message)")
    }
  }

  private static func logMessage(_ message: String) {
    let line = Array("vitrine: \(message)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }
}
