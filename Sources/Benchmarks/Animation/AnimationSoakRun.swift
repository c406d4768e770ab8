import FoundationEssentials
import Vitrine
import VitrineAnimation

/// The child process of `animation-soak`.
@MainActor
enum AnimationSoakRun {
  private static let minutes = 10
  private static let viewCount = 12

  /// Runs the measurement.
  ///
  /// - Parameter arguments: The folder of the files.
  static func measure(_ arguments: [String]) throws -> [String: Double] {
    guard let folder = arguments.first else { throw BenchmarkError("folder") }
    let application = try Application.offscreen { configuration in
      configuration.host.size = Size(width: 1280, height: 800)
      configuration.memory = MemoryBudget(bytes: 8 << 20)
    }
    let host = application.host
    let side = Double(AnimationFiles.smallSide)
    let views = (0..<Self.viewCount).map { index in
      let (row, column) = index.quotientAndRemainder(dividingBy: 9)
      let view = ImageView(
        frame: Rect(x: Double(column) * side, y: Double(row) * side, width: side, height: side))
      host.window.addSubview(view)
      return view
    }
    func show(_ index: Int, in view: ImageView) {
      view.setImage(from: URL(filePath: "\(folder)/\(AnimationFiles.smallName(index))"))
    }
    for (index, view) in views.enumerated() { show(index, in: view) }
    while !host.window.isLoaded { host.turn() }

    let time = ManualTime(of: application)
    var memory: [Double] = []
    var descriptors: [Int] = []
    let decoded = FramePool.shared.decodedFrames
    for second in 0..<minutes * 60 {
      time.advance(by: 1)
      // One view a second shows another image, and one is hidden or shown again.
      show((second * 7) % AnimationFiles.smallCount, in: views[second % views.count])
      views[(second * 3) % views.count].isHidden.toggle()
      if second % 10 == 0 { views[second % views.count].animationPlayer?.stop() }
      while !host.window.isLoaded { host.turn() }
      guard second % 60 == 59 else { continue }
      memory.append(Double(SystemCounters.residentBytes) / 1e6)
      descriptors.append(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count)
    }
    func mean(_ range: ClosedRange<Int>) -> Double {
      memory[(range.lowerBound - 1)...(range.upperBound - 1)].reduce(0, +) / Double(range.count)
    }
    return [
      "decoded": Double(FramePool.shared.decodedFrames - decoded), "memory_2": memory[1],
      "memory_10": memory[minutes - 1], "growth": mean(8...10) - mean(2...4),
      "descriptor_growth": Double(descriptors[minutes - 1] - descriptors[1]),
      "peak_mib": Double(application.downloader.ledger.peak) / 1_048_576,
    ]
  }
}
