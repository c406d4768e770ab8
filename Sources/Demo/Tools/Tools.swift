import Dispatch
import Glibc
import Vitrine

/// The tools of the command line: `vitrine cache …` and `vitrine prefetch …`.
enum Tools {
  /// The result of a tool in one line, and its exit code.
  nonisolated struct Failure: Error, Equatable {
    let message: String
  }

  /// Runs a tool and returns its exit code: 0 for success, 1 for a failure or an interruption.
  static func run(_ options: ToolOptions) -> Int32 {
    if options.command == .help { return show(ToolHelp.text) }
    if options.command == .prefetch { prefetch(options) }
    var console = ToolConsole(isJSON: options.isJSON, activity: activity(of: options.command))
    do throws(Failure) {
      try run(options, Interruption.begin(), &console)
      console.endProgress()
      try checkOutput(console)
      return 0
    } catch {
      console.message(error.message)
      return 1
    }
  }

  /// Prints a text, such as the help, and returns the exit code.
  nonisolated static func show(_ text: String) -> Int32 {
    var console = ToolConsole(isJSON: false, activity: "printing")
    console.line(text)
    do throws(Failure) {
      try checkOutput(console)
      return 0
    } catch {
      console.message(error.message)
      return 1
    }
  }

  /// Throws if the result of a tool could not be written.
  nonisolated static func checkOutput(_ console: ToolConsole) throws(Failure) {
    if console.hasOutputFailed { throw Failure(message: "standard output cannot be written") }
  }

  private nonisolated static func run(
    _ options: ToolOptions, _ interruption: Interruption, _ console: inout ToolConsole
  ) throws(Failure) {
    switch options.command {
    // Files are removed one at a time, so that the process may end anywhere.
    case .trim, .clear: interruption.whenRequested { ToolConsole.endInterrupted() }
    case .list, .statistics: interruption.endProcessIfBlocked()
    case .verify where !options.repairs: interruption.endProcessIfBlocked()
    case .verify, .exportArchive, .importArchive, .prefetch, .help: break
    }
    switch options.command {
    case .list: try ListTool(interruption: interruption).run(try ToolCache.reading(options), &console)
    case .statistics:
      try StatTool(interruption: interruption)
        .run(try ToolCache.reading(options), try ToolCache.readingPixels(options), &console)
    case .verify:
      let cache = options.repairs ? try ToolCache.writing(options) : try ToolCache.reading(options)
      let pixels =
        options.repairs ? try ToolCache.writingPixels(options) : try ToolCache.readingPixels(options)
      try VerifyTool(interruption: interruption, repairs: options.repairs).run(cache, pixels, &console)
    case .trim:
      try TrimTool(limit: options.limit)
        .run(try ToolCache.writing(options), try ToolCache.writingPixels(options), &console)
    case .clear:
      try ClearTool().run(try ToolCache.writing(options), try ToolCache.writingPixels(options), &console)
    case .exportArchive:
      try ExportTool(file: options.file, interruption: interruption)
        .run(try ToolCache.reading(options), &console)
    case .importArchive:
      try ImportTool(file: options.file, interruption: interruption)
        .run(try ToolCache.writing(options), &console)
    case .prefetch, .help: break
    }
  }

  private static func activity(of command: ToolOptions.Command) -> String {
    switch command {
    case .list, .statistics: "reading"
    case .verify: "checking"
    case .trim, .clear: "removing"
    case .exportArchive: "exporting"
    case .importArchive: "importing"
    case .prefetch, .help: "loading"
    }
  }

  /// Runs the prefetch and ends the process. Completions of loads are called on the main queue, which runs here.
  private static func prefetch(_ options: ToolOptions) -> Never {
    // The downloader of the run starts threads, which inherit the signals that are blocked by then.
    let interruption = Interruption.begin()
    let run = PrefetchRun(options)
    interruption.whenRequested { run.cancel() }
    Task { @MainActor in
      let code = await PrefetchTool(options: options, run: run).run()
      // `exit` would free data of OpenSSL that cancelled transfers may still use. All output is written by now.
      if run.wasCancelled { _exit(code) }
      exit(code)
    }
    MainQueue().run()
  }
}
