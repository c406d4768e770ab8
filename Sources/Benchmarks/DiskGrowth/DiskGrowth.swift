import Vitrine

/// Opens caches with 1,000, 10,000 and 100,000 entries, and measures the first lookup, later hits, and a trim.
enum DiskGrowth {
  private static let counts = [1_000, 10_000, 100_000]
  private static let hits = 1_000
  private static let size = 1_000
  /// The side of the stored squares, whose pixels take about as many bytes as the bodies.
  private static let side = 16

  private typealias Times = [String: [Double]]

  static func measure(_ options: Options) throws -> [Figure] {
    var times: [Int: Times] = [:]
    for count in counts {
      times[count] = try ScratchFolder.use("disk-growth") { folder in
        var times = try responses(in: folder + "/responses", count, options.runs)
        let pixels = try pixels(in: folder + "/pixels", count, options.runs)
        times.merge(pixels) { own, _ in own }
        return times
      }
    }
    return figures(times)
  }

  private static func responses(in folder: String, _ count: Int, _ runs: Int) throws -> Times {
    let filler = try ResponseEntries(folder: folder, count: count)
    for number in 0..<count { try filler.put([UInt8](repeating: 7, count: size), number: number) }
    var times = Times()
    for run in 0...runs {
      var random = RandomNumbers(seed: run)
      let numbers = (0..<hits).map { _ in Int.random(in: 0..<count, using: &random) }
      let start = SystemCounters.time
      let store = try ResponseEntries(folder: folder, count: 1)
      _ = store.cache.response(for: filler.identity(numbers[0]))
      let opened = SystemCounters.time
      for number in numbers { _ = try filler.get(number) }
      let read = SystemCounters.time
      store.cache.trim()
      let trimmed = SystemCounters.time
      guard run > 0 else { continue }
      times["open", default: []].append((opened - start) * 1000)
      times["hit", default: []].append((read - opened) * 1e6 / Double(hits))
      times["trim", default: []].append((trimmed - read) * 1000)
    }
    return times
  }

  private static func pixels(in folder: String, _ count: Int, _ runs: Int) throws -> Times {
    let images = (0..<64).map { Image.noise($0, size: Size(width: Double(side), height: Double(side))) }
    let filler = try PixelEntries(folder: folder, count: count, images: images)
    for number in 0..<count { try filler.put([], number: number) }
    var times = Times()
    for run in 0...runs {
      var random = RandomNumbers(seed: run)
      let numbers = (0..<hits).map { _ in Int.random(in: 0..<count, using: &random) }
      let start = SystemCounters.time
      let store = filler.opened()
      _ = store.find(numbers[0])
      let opened = SystemCounters.time
      let found = numbers.count { store.find($0) != nil }
      let read = SystemCounters.time
      store.trim()
      let trimmed = SystemCounters.time
      guard run > 0 else { continue }
      times["pixel_trim", default: []].append((trimmed - read) * 1000)
      times["pixel_open", default: []].append((opened - start) * 1000)
      times["pixel_hit", default: []].append((read - opened) * 1e6 / Double(hits))
      times["pixel_found", default: []].append(Double(found) / Double(hits))
    }
    return times
  }

  private static func figures(_ times: [Int: Times]) -> [Figure] {
    let names = [
      ("open", "first lookup in a new cache", "ms"), ("hit", "a hit", "µs"), ("trim", "a trim", "ms"),
      ("pixel_open", "first lookup of pixels", "ms"), ("pixel_hit", "a hit of pixels", "µs"),
      ("pixel_trim", "a trim of pixels", "ms"),
      ("pixel_found", "fraction of the stored pixels that are found", ""),
    ]
    return names.flatMap { name, label, unit -> [Figure] in
      func samples(_ count: Int) -> [Double] { times[count]?[name] ?? [.nan] }
      let suffix = unit == "µs" ? "_us" : unit.isEmpty ? "" : "_\(unit)"
      let figures = counts.map { count in
        Figure(
          "\(name)_\(count)\(suffix)", Samples(samples(count)), label: "\(label), \(count) entries",
          unit: unit)
      }
      guard name.hasSuffix("open") || name.hasSuffix("hit"), let least = counts.first, let most = counts.last
      else { return figures }
      let growth = Samples(samples(most)).median / Samples(samples(least)).median
      return figures + [
        Figure("ratio_growth_\(name)", growth, label: "  ratio of the most to the fewest", aim: .atMost(1.5))
      ]
    }
  }
}
